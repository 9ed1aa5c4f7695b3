-- Requests of the addresses at which a declared client was given robots.txt and a browser came as well: only there can
-- the client have come as a browser for what is closed to it. What many addresses ask for tells nobody apart.
WITH both_came AS (
    SELECT DISTINCT r.address
    FROM request AS r
    SEMI JOIN (SELECT address FROM request WHERE client IN ({browsers})) AS browser ON r.address = browser.address
    WHERE r.robots AND r.status IN (200, 304) AND r.client IN ({clients})
),

visit AS (
    SELECT r.id, r.address, r.client, r.agent, r.target, r.host, r.t, r.robots AND r.status IN (200, 304) AS reading
    FROM request AS r
    SEMI JOIN both_came ON r.address = both_came.address
    WHERE r.t IS NOT NULL AND r.target IS NOT NULL
),

popular AS (
    SELECT r.target
    FROM request AS r
    SEMI JOIN visit ON r.target = visit.target
    GROUP BY r.target
    HAVING count(DISTINCT r.address) >= {addresses}
)

SELECT
    v.id,
    v.address,
    v.client,
    v.agent,
    v.target,
    v.host,
    v.t,
    coalesce(v.reading, FALSE) AS reading,
    k.kind = 'page' AND p.target IS NULL AS page,
    k.kind = 'asset' AS asset
FROM visit AS v
INNER JOIN target_kind AS k ON v.target = k.target
LEFT JOIN popular AS p ON v.target = p.target

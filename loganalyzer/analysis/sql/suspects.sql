-- Requests of the addresses at which somebody was refused: only there can a client have come back under another name.
-- What many addresses ask for is popular, and so is /robots.txt: it tells nobody apart.
WITH suspect AS (
    SELECT r.id, r.address, r.client, r.agent, r.target, r.t, r.status, r.refusal
    FROM request AS r
    SEMI JOIN (SELECT address FROM request WHERE refusal OR status = 403) AS refused ON r.address = refused.address
    WHERE r.t IS NOT NULL AND r.target IS NOT NULL AND r.status IS NOT NULL
),

popular AS (
    SELECT r.target
    FROM request AS r
    SEMI JOIN suspect ON r.target = suspect.target
    GROUP BY r.target
    HAVING count(DISTINCT r.address) >= {addresses} OR count(*) FILTER (WHERE r.robots) > 0
)

SELECT s.*, p.target IS NOT NULL AS popular
FROM suspect AS s
LEFT JOIN popular AS p ON s.target = p.target

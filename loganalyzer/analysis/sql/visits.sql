-- What each browser's user agent did at one address: keyed so, people behind one address stay apart. Only those that
-- asked for some pages (others are left out first: most visits are a single request); beside each stands how many others took assets and sent referers, where that can be seen.
WITH several AS (
    SELECT address, agent
    FROM request
    WHERE address IS NOT NULL AND t IS NOT NULL AND client IN ({clients})
    GROUP BY address, agent
    HAVING count(*) >= {few}
),

visit AS (
    SELECT
        r.address,
        r.agent,
        count(*) AS requests,
        count(*) FILTER (WHERE k.kind = 'page') AS pages,
        count(*) FILTER (WHERE k.kind = 'asset') AS assets,
        count(*) FILTER (WHERE r.referred) AS referred,
        count(*) FILTER (WHERE r.robots) AS robots_reads,
        min(r.t) AS first_us,
        max(r.t) AS last_us
    FROM request AS r
    SEMI JOIN several AS m ON r.address = m.address AND r.agent = m.agent
    INNER JOIN target_kind AS k ON r.target = k.target
    WHERE r.t IS NOT NULL
    GROUP BY r.address, r.agent
),

site AS (
    SELECT
        avg(CASE WHEN assets > 0 THEN 1.0 ELSE 0.0 END) AS asset_share,
        avg(CASE WHEN referred > 0 THEN 1.0 ELSE 0.0 END) AS referer_share
    FROM visit
    WHERE pages >= {few}
),

company AS (
    SELECT address, count(*) - 1 AS companions
    FROM visit
    GROUP BY address
)

SELECT v.*, c.companions, CAST(s.asset_share AS DOUBLE) AS asset_share, CAST(s.referer_share AS DOUBLE) AS referer_share
FROM visit AS v
INNER JOIN company AS c ON v.address = c.address
CROSS JOIN site AS s
WHERE v.pages >= {pages} AND (v.assets = 0 OR v.referred = 0 OR v.robots_reads > 0)

-- Requests that follow, from the same address and at most {within} microseconds later, a /robots.txt that was read under
-- the name of a library: urllib.robotparser asks for it as Python-urllib whatever the program's own user agent is.
WITH reader AS (
    SELECT DISTINCT address
    FROM request
    WHERE robots AND status IN (200, 304) AND t IS NOT NULL AND address IS NOT NULL AND client IN ({libraries})
),

followed AS (
    SELECT
        r.client,
        r.t,
        max(CASE WHEN r.robots AND r.status IN (200, 304) AND r.client IN ({libraries}) THEN r.t END) OVER (
            PARTITION BY r.address
            ORDER BY r.t NULLS FIRST, r.id NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS read_us
    FROM request AS r
    SEMI JOIN reader ON r.address = reader.address
    WHERE r.t IS NOT NULL
)

SELECT client, count(*) AS requests, min(t) AS first_us
FROM followed
WHERE t - read_us <= {within} AND client NOT IN ({libraries})
GROUP BY client

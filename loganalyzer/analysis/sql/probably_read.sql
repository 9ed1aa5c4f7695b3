-- Requests that follow, from the same address and at most {within} microseconds later, a /robots.txt that was read under
-- the name of a library: urllib.robotparser asks for it as Python-urllib whatever the program's own user agent is. What
-- was read in the day before counts as a reading, and is no request.
WITH asked AS (
    SELECT id, t, client, address, TRUE AS counted, robots AND status IN (200, 304) AND client IN ({libraries}) AS reading
    FROM request
    WHERE t IS NOT NULL AND address IS NOT NULL
    UNION ALL
    SELECT id, t, client, address, FALSE AS counted, status IN (200, 304) AND client IN ({libraries}) AS reading
    FROM earlier
    WHERE t IS NOT NULL AND address IS NOT NULL
),

reader AS (
    SELECT DISTINCT address
    FROM asked
    WHERE reading
),

followed AS (
    SELECT
        a.client,
        a.t,
        a.counted,
        max(CASE WHEN a.reading THEN a.t END) OVER (
            PARTITION BY a.address
            ORDER BY a.t NULLS FIRST, a.id NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS read_us
    FROM asked AS a
    SEMI JOIN reader ON a.address = reader.address
)

SELECT client, count(*) AS requests, min(t) AS first_us
FROM followed
WHERE counted AND t - read_us <= {within} AND client NOT IN ({libraries})
GROUP BY client

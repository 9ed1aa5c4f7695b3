-- Unchanged content sent again: the same target with 200 and the same size more than once on one UTC day.
SELECT client, CAST(sum(n - 1) AS BIGINT) AS repeats, CAST(sum(bytes * (n - 1)) AS BIGINT) AS bytes
FROM (
    SELECT client, target, bytes, count(*) AS n
    FROM request
    WHERE client IN ({clients}) AND status = 200 AND bytes > 0 AND target IS NOT NULL AND t IS NOT NULL
    GROUP BY client, target, bytes, t - t % 86400000000
) AS same
WHERE n > 1
GROUP BY client

-- Unchanged content sent again: the same target with 200 and the same size more than once on one UTC day. Avoidable is
-- what the server is seen to answer with 304, to whomever: elsewhere it may not offer that.
SELECT
    client,
    CAST(sum(n - 1) AS BIGINT) AS repeats,
    CAST(sum(bytes * (n - 1)) AS BIGINT) AS bytes,
    CAST(coalesce(sum(n - 1) FILTER (WHERE validated.target IS NOT NULL), 0) AS BIGINT) AS avoidable,
    CAST(coalesce(sum(bytes * (n - 1)) FILTER (WHERE validated.target IS NOT NULL), 0) AS BIGINT) AS avoidable_bytes
FROM (
    SELECT client, target, bytes, count(*) AS n
    FROM request
    WHERE client IN ({clients}) AND status = 200 AND bytes > 0 AND target IS NOT NULL AND t IS NOT NULL
    GROUP BY client, target, bytes, t - t % 86400000000
) AS same
LEFT JOIN (SELECT DISTINCT target FROM request WHERE status = 304) AS validated ON same.target = validated.target
WHERE n > 1
GROUP BY client

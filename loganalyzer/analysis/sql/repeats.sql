-- Unchanged content sent again: a target with 200 and the size that the same client had got within the 24 hours before.
-- Avoidable is what the server is seen to answer with 304, to whomever: elsewhere it may not offer that.
SELECT
    client,
    count(*) AS repeats,
    CAST(sum(bytes) AS BIGINT) AS bytes,
    count(*) FILTER (WHERE validated.target IS NOT NULL) AS avoidable,
    CAST(coalesce(sum(bytes) FILTER (WHERE validated.target IS NOT NULL), 0) AS BIGINT) AS avoidable_bytes
FROM (
    SELECT
        client,
        target,
        bytes,
        t - lag(t) OVER (PARTITION BY client, target, bytes ORDER BY t NULLS FIRST, id NULLS FIRST) AS since
    FROM request
    WHERE client IN ({clients}) AND status = 200 AND bytes > 0 AND target IS NOT NULL AND t IS NOT NULL
) AS same
LEFT JOIN (SELECT DISTINCT target FROM request WHERE status = 304) AS validated ON same.target = validated.target
WHERE since <= 86400000000
GROUP BY client

-- Cause and effect of a limit: what each client sent before and from its first refusal on, over the whole log and in
-- windows of one length on both sides of it, as long as the log has both.
WITH turn AS (
    SELECT client, min(t) AS t0, least(min(t) - {start}, {stop} - min(t)) AS width
    FROM request
    WHERE refusal AND t IS NOT NULL
    GROUP BY client
)

SELECT
    r.client,
    turn.t0,
    turn.width,
    count(*) FILTER (WHERE r.t < turn.t0) AS requests_before,
    count(*) FILTER (WHERE r.t >= turn.t0) AS requests_after,
    CAST(coalesce(sum(r.bytes) FILTER (WHERE r.t < turn.t0), 0) AS BIGINT) AS bytes_before,
    CAST(coalesce(sum(r.bytes) FILTER (WHERE r.t >= turn.t0), 0) AS BIGINT) AS bytes_after,
    count(*) FILTER (WHERE r.refusal) AS refusals,
    count(*) FILTER (WHERE r.t >= turn.t0 - turn.width AND r.t < turn.t0) AS near_requests_before,
    count(*) FILTER (WHERE r.t >= turn.t0 AND r.t < turn.t0 + turn.width) AS near_requests_after,
    CAST(
        coalesce(sum(r.bytes) FILTER (WHERE r.t >= turn.t0 - turn.width AND r.t < turn.t0), 0) AS BIGINT
    ) AS near_bytes_before,
    CAST(
        coalesce(sum(r.bytes) FILTER (WHERE r.t >= turn.t0 AND r.t < turn.t0 + turn.width), 0) AS BIGINT
    ) AS near_bytes_after,
    count(*) FILTER (WHERE r.refusal AND r.t >= turn.t0 AND r.t < turn.t0 + turn.width) AS near_refusals
FROM request AS r
INNER JOIN turn ON r.client = turn.client
WHERE r.t IS NOT NULL
GROUP BY r.client, turn.t0, turn.width

-- What each client asked for: sums over distinct (client, host, target). An answer is a repeat where the client had got
-- one of the same size: told not modified (304), or sent whole again (200).
SELECT
    client,
    host,
    target,
    count(*) AS requests,
    CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes,
    count(*) FILTER (WHERE status IN (301, 302, 303, 307, 308)) AS redirects,
    count(*) FILTER (WHERE status IN (400, 403, 404, 410, 414)) AS errors,
    count(*) FILTER (WHERE status IN (200, 304)) - count(DISTINCT bytes) FILTER (WHERE status = 200) AS repeats
FROM request
WHERE client IN ({clients})
GROUP BY client, host, target
ORDER BY client NULLS FIRST, host NULLS FIRST, target NULLS FIRST

-- What each client asked for: sums over distinct (client, host, target).
SELECT client, host, target, count(*) AS requests, CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes
FROM request
WHERE client IN ({clients})
GROUP BY client, host, target
ORDER BY client NULLS FIRST, host NULLS FIRST, target NULLS FIRST

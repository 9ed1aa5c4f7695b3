-- Hosts that requests named.
SELECT host, count(*) AS requests
FROM request
WHERE host IS NOT NULL
GROUP BY host

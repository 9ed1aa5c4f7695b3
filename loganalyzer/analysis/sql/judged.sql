-- How the requests of each client were judged, by the version that was in force.
SELECT client, version, count(*) AS requests, count(*) FILTER (WHERE class = 'violation') AS violations
FROM decision
WHERE version IS NOT NULL
GROUP BY client, version

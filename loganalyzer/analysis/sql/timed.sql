-- Every timed request of some clients, for kernels that follow each client through time, and what they asked for
-- /robots.txt in the day before. The status is that of a reading of /robots.txt.
SELECT id, client, t, CASE WHEN robots THEN status END AS status, target, host
FROM request
WHERE t IS NOT NULL AND client IN ({clients})
UNION ALL
SELECT id, client, t, status, target, host
FROM earlier
WHERE t IS NOT NULL AND client IN ({clients})

-- Every timed request of some clients, for kernels that follow each client through time. The status is that of a
-- reading of /robots.txt.
SELECT id, client, t, CASE WHEN robots THEN status END AS status, target, host
FROM request
WHERE t IS NOT NULL AND client IN ({clients})

-- Every answer to /robots.txt.
SELECT id, t, client, address, host, status
FROM request
WHERE robots AND t IS NOT NULL

-- Every answer to /robots.txt; an answer to HEAD has no size of the file.
SELECT id, t, client, agent, address, host, status, CASE WHEN NOT head THEN bytes END AS bytes
FROM request
WHERE robots AND t IS NOT NULL

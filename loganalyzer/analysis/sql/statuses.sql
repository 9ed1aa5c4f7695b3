-- Requests of each client by status; a status that was not logged is null.
SELECT client, status, count(*) AS requests
FROM request
GROUP BY client, status

-- Requests from each address of some clients.
SELECT client, address, count(*) AS requests
FROM request
WHERE address IS NOT NULL AND client IN ({clients})
GROUP BY client, address

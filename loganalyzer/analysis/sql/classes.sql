-- Requests of each client by class and reason.
SELECT client, class, reason, count(*) AS requests
FROM decision
GROUP BY client, class, reason

-- Every timed request of the clients that were refused at least once.
SELECT r.id, r.client, r.address, r.t, r.end_us, r.status, r.asked_us, r.refusal, r.target, r.robots
FROM request AS r
SEMI JOIN (SELECT client FROM request WHERE refusal) AS refused ON r.client = refused.client
WHERE r.t IS NOT NULL

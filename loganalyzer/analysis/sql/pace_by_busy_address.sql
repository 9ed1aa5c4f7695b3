-- The same of some clients with their ten busiest addresses.
SELECT r.client, r.address, r.t, r.id, r.took_us AS request_time_us
FROM request AS r
SEMI JOIN busy_address AS b ON r.client = b.client AND r.address = b.address
WHERE r.t IS NOT NULL AND r.client IN ({clients})

-- The same of some clients with the address, for the pace of each of their addresses.
SELECT client, address, t, id, took_us AS request_time_us
FROM request
WHERE t IS NOT NULL AND address IS NOT NULL AND client IN ({clients})

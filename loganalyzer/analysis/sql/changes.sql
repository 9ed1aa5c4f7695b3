-- Requests of some clients from the first window before a change of robots.txt on.
SELECT id, client, t, target, host, bytes
FROM request
WHERE t >= {since} AND NOT robots AND client IN ({clients})

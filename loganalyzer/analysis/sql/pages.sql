-- Starts of the requests of some clients, /robots.txt left out: reading the rules is not crawling.
SELECT client, t, id, host
FROM request
WHERE NOT robots AND t IS NOT NULL AND client IN ({clients})

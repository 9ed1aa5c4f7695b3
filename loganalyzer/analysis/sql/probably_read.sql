-- Requests that follow, within ten seconds and from the same address, a /robots.txt read under another client's name:
-- urllib.robotparser, for one, asks for it as Python-urllib whatever the program's own user agent is.
SELECT r.client, count(*) AS requests
FROM request AS r
INNER JOIN (SELECT client, address, t FROM request WHERE robots AND status = 200) AS reading
    ON r.address = reading.address
WHERE r.client <> reading.client AND r.t >= reading.t AND r.t < reading.t + 10000000
GROUP BY r.client

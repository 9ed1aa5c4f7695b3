-- Requests that follow, from the same address and at most twenty seconds later, a /robots.txt that was read under the
-- name of a library: urllib.robotparser asks for it as Python-urllib whatever the program's own user agent is.
SELECT r.client, count(*) AS requests
FROM request AS r
INNER JOIN (
    SELECT DISTINCT client, address, t - t % 10000000 AS moment
    FROM request
    WHERE robots AND status = 200 AND t IS NOT NULL AND client IN ({libraries})
) AS reading
    ON r.address = reading.address
WHERE
    r.client <> reading.client
    AND (r.t - r.t % 10000000 = reading.moment OR r.t - r.t % 10000000 = reading.moment + 10000000)
GROUP BY r.client

-- The ten busiest addresses of each client.
SELECT client, address, requests
FROM (
    SELECT
        client,
        address,
        requests,
        row_number() OVER (PARTITION BY client ORDER BY requests DESC NULLS LAST, address NULLS LAST) AS place
    FROM (
        SELECT client, address, count(*) AS requests
        FROM request
        GROUP BY client, address
    ) AS counted
) AS ranked
WHERE place <= 10

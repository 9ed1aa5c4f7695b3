-- Who else comes from the addresses of each automated client, and how much.
SELECT m.client, o.client AS neighbour, CAST(sum(o.requests) AS BIGINT) AS requests
FROM (SELECT DISTINCT client, address FROM request WHERE address IS NOT NULL AND client IN ({clients})) AS m
INNER JOIN (
    SELECT client, address, count(*) AS requests
    FROM request
    WHERE address IS NOT NULL
    GROUP BY client, address
) AS o ON m.address = o.address
WHERE m.client <> o.client
GROUP BY m.client, o.client

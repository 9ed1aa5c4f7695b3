-- Who else comes from the addresses of each automated client, and how much: at each address the six busiest clients are
-- looked at, so that an address with thousands of names costs no more than as many rows.
SELECT m.client, o.client AS neighbour, CAST(sum(o.requests) AS BIGINT) AS requests
FROM (SELECT DISTINCT client, address FROM request WHERE address IS NOT NULL AND client IN ({clients})) AS m
INNER JOIN (
    SELECT
        client,
        address,
        requests,
        row_number() OVER (PARTITION BY address ORDER BY requests DESC NULLS LAST, client NULLS LAST) AS place
    FROM (
        SELECT client, address, count(*) AS requests
        FROM request
        WHERE address IS NOT NULL
        GROUP BY client, address
    ) AS counted
) AS o ON m.address = o.address
WHERE m.client <> o.client AND o.place <= 6
GROUP BY m.client, o.client

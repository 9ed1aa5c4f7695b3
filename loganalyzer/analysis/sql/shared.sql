-- What others sent from the addresses of each automated client, and what of it came from browsers: exact, whatever the
-- number of names at an address, for an address costs one row here.
SELECT
    m.client,
    CAST(sum(t.requests - m.requests) AS BIGINT) AS requests,
    CAST(sum(t.bytes - m.bytes) AS BIGINT) AS bytes,
    CAST(sum(t.people_requests) AS BIGINT) AS people_requests,
    count(*) FILTER (WHERE t.people_requests > 0) AS people_addresses
FROM (
    SELECT client, address, count(*) AS requests, CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes
    FROM request
    WHERE address IS NOT NULL AND client IN ({clients})
    GROUP BY client, address
) AS m
INNER JOIN (
    SELECT
        address,
        count(*) AS requests,
        CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes,
        count(*) FILTER (WHERE client IN ({browsers})) AS people_requests
    FROM request
    WHERE address IS NOT NULL
    GROUP BY address
) AS t ON m.address = t.address
GROUP BY m.client

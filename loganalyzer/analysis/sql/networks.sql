-- The ten busiest networks of each client, with how many networks it has in all.
SELECT client, network, requests, bytes, addresses, networks
FROM (
    SELECT
        client,
        network,
        requests,
        bytes,
        addresses,
        count(*) OVER (PARTITION BY client) AS networks,
        row_number() OVER (PARTITION BY client ORDER BY requests DESC NULLS LAST, network NULLS LAST) AS place
    FROM (
        SELECT
            r.client,
            n.network,
            count(*) AS requests,
            CAST(coalesce(sum(r.bytes), 0) AS BIGINT) AS bytes,
            count(DISTINCT r.address) AS addresses
        FROM request AS r
        INNER JOIN address_network AS n ON r.address = n.address
        GROUP BY r.client, n.network
    ) AS counted
) AS ranked
WHERE place <= 10

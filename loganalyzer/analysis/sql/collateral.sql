-- Who comes from some addresses.
SELECT
    client,
    count(*) AS requests,
    CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes,
    count(DISTINCT address) AS addresses
FROM request
SEMI JOIN hit ON request.address = hit.address
GROUP BY client

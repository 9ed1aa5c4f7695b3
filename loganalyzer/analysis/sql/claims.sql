-- Requests of each client by what was found of their addresses, and what of them robots.txt forbade.
SELECT
    r.client,
    v.verdict,
    v.way,
    count(*) AS requests,
    CAST(coalesce(sum(r.bytes), 0) AS BIGINT) AS bytes,
    count(DISTINCT r.address) AS addresses,
    count(*) FILTER (WHERE d.class = 'violation') AS violations
FROM request AS r
INNER JOIN verified AS v ON r.client = v.client AND r.address = v.address
LEFT JOIN decision AS d ON r.id = d.id
GROUP BY r.client, v.verdict, v.way

-- Allowed requests for targets that another spelling would forbid to somebody.
SELECT
    d.client,
    d.version,
    r.target,
    count(*) AS requests,
    CAST(coalesce(sum(r.bytes), 0) AS BIGINT) AS bytes,
    min(r.id) AS id
FROM decision AS d
INNER JOIN request AS r ON d.id = r.id
SEMI JOIN suspect_target AS s ON r.target = s.target
WHERE d.class = 'allowed' AND d.version IS NOT NULL
GROUP BY d.client, d.version, r.target

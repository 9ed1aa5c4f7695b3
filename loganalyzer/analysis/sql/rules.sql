-- What each rule forbade to each client, with the times and the size of what came all the same.
SELECT
    d.client,
    d.class,
    d.version,
    d.rule_line,
    count(*) AS requests,
    CAST(coalesce(sum(r.bytes), 0) AS BIGINT) AS bytes,
    min(r.t) AS first_us,
    max(r.t) AS last_us
FROM decision AS d
INNER JOIN request AS r ON d.id = r.id
WHERE d.class IN ('violation', 'grace')
GROUP BY d.client, d.class, d.version, d.rule_line

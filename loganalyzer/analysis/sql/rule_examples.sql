-- The first three requests under each rule.
SELECT client, class, version, rule_line, id, target
FROM (
    SELECT
        d.client,
        d.class,
        d.version,
        d.rule_line,
        r.id,
        r.target,
        row_number() OVER (
            PARTITION BY d.client, d.class, d.version, d.rule_line
            ORDER BY r.t NULLS FIRST, r.id NULLS FIRST
        ) AS place
    FROM decision AS d
    INNER JOIN request AS r ON d.id = r.id
    WHERE d.class IN ('violation', 'grace')
) AS ranked
WHERE place <= 3

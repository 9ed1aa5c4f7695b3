-- What anybody got: unchanged answers, and files made for machines.
SELECT
    count(*) FILTER (WHERE r.status = 304) AS not_modified,
    count(*) FILTER (WHERE k.kind IN ('sitemap', 'feed', 'llms') AND r.status = 200) AS machine_files
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
WHERE r.status IN (200, 304)

-- What anybody got: distinct pages, unchanged answers, files made for machines.
SELECT
    count(DISTINCT r.target) FILTER (WHERE k.kind = 'page') AS pages,
    count(*) FILTER (WHERE r.status = 304) AS not_modified,
    count(*) FILTER (WHERE k.kind IN ('sitemap', 'feed', 'llms') AND r.status = 200) AS machine_files
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
WHERE r.status IN (200, 304)

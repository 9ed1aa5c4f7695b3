-- Pages that browsers came to from a search engine.
SELECT a.engine, r.host, r.target, count(*) AS requests
FROM arrival AS a
INNER JOIN request AS r ON a.id = r.id
INNER JOIN target_kind AS k ON r.target = k.target
WHERE r.client IN ({clients}) AND k.kind = 'page' AND (r.status < 400 OR r.status IS NULL)
GROUP BY a.engine, r.host, r.target
ORDER BY a.engine NULLS FIRST, r.host NULLS FIRST, r.target NULLS FIRST

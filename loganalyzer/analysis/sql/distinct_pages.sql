-- How many different pages some clients asked for; and, under no client, how many anybody got.
SELECT r.client, count(DISTINCT r.target) AS pages
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
WHERE k.kind = 'page' AND r.client IN ({clients})
GROUP BY r.client
UNION ALL
SELECT NULL AS client, count(DISTINCT r.target) AS pages
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
WHERE k.kind = 'page' AND r.status IN (200, 304) AND EXISTS (SELECT 1 FROM request WHERE client IN ({clients}))

-- How many different pages some clients asked for.
SELECT r.client, count(DISTINCT r.target) AS pages
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
WHERE k.kind = 'page' AND r.client IN ({clients})
GROUP BY r.client

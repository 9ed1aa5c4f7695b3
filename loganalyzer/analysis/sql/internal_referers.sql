-- Pages that each client asked for with a page of this site as referer.
SELECT r.client, count(*) AS requests
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
WHERE k.kind = 'page' AND r.internal
GROUP BY r.client

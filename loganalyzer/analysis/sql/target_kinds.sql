-- Requests of each client by kind of target (page, asset, feed, sitemap, llms, json, robots).
SELECT r.client, k.kind, count(*) AS requests
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
GROUP BY r.client, k.kind

-- What browsers load with pages: style sheets, scripts, pictures, fonts.
SELECT r.host, r.target, count(*) AS requests
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
WHERE r.client IN ({clients}) AND k.kind = 'asset' AND (r.status < 400 OR r.status IS NULL)
GROUP BY r.host, r.target
ORDER BY r.host NULLS FIRST, r.target NULLS FIRST

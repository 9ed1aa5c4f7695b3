-- What browsers got.
SELECT host, target, count(*) AS requests
FROM request
WHERE client IN ({clients}) AND target IS NOT NULL AND (status < 400 OR status IS NULL)
GROUP BY host, target
ORDER BY host NULLS FIRST, target NULLS FIRST

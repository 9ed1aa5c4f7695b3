-- Requests and refusals of each client in buckets of {bucket} microseconds.
SELECT client, t - t % {bucket} AS bucket_us, count(*) AS requests, count(*) FILTER (WHERE refusal) AS refusals
FROM request
WHERE t IS NOT NULL
GROUP BY client, t - t % {bucket}

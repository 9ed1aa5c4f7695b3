-- Starts and durations of all timed requests.
SELECT client, t, id, took_us AS request_time_us
FROM request
WHERE t IS NOT NULL

-- One row for each client: what came, from how many addresses, when, and what of it was refused.
SELECT
    client,
    count(*) AS requests,
    CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes,
    count(DISTINCT address) AS addresses,
    min(t) AS first_us,
    max(t) AS last_us,
    count(*) FILTER (WHERE t IS NULL) AS untimed,
    min(t) FILTER (WHERE NOT robots) AS first_page_us,
    count(*) FILTER (WHERE refusal) AS refusals,
    count(*) FILTER (WHERE robots) AS robots_asked,
    count(*) FILTER (WHERE status = 304) AS not_modified
FROM request
GROUP BY client

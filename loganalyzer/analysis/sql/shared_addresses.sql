-- Requests of declared clients at each address that at least {fewest} of them came from.
WITH visit AS (
    SELECT address, client, count(*) AS requests
    FROM request
    WHERE address IS NOT NULL AND client IN ({clients})
    GROUP BY address, client
)

SELECT v.address, v.client, v.requests
FROM visit AS v
SEMI JOIN (
    SELECT address
    FROM visit
    GROUP BY address
    HAVING count(*) >= {fewest}
) AS several ON v.address = several.address

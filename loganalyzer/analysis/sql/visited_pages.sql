-- The pages of the visits that may be suspected.
SELECT r.address, r.agent, r.target, r.t, r.id
FROM request AS r
INNER JOIN target_kind AS k ON r.target = k.target
SEMI JOIN visit AS v ON r.address = v.address AND r.agent = v.agent
WHERE k.kind = 'page' AND r.t IS NOT NULL

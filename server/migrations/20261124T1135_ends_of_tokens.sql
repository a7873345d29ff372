-- Apps with expiring tokens: access tokens that have no end, as they were issued before the app was switched, end in a day.
-- Without an end they are not taken any more. One that is replaced or ended at this moment is left as it is.
UPDATE access_tokens t SET expires_at = now() + interval '1 day'
FROM (
  SELECT t.family, t.token_hash
  FROM access_tokens t JOIN grants g ON g.family = t.family JOIN apps a ON a.client_id = g.client_id
  WHERE t.expires_at IS NULL AND a.expiring_tokens
  FOR UPDATE OF t SKIP LOCKED
) endless
WHERE endless.family = t.family AND endless.token_hash = t.token_hash;

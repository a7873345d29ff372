-- What an account has only because it is an operator; it ends when the operator's rights are withdrawn.
ALTER TABLE ingest_tokens ADD COLUMN needs_operator boolean NOT NULL DEFAULT false;
ALTER TABLE server_tokens ADD COLUMN plan_needs_operator boolean NOT NULL DEFAULT false;
ALTER TABLE webhook_endpoints ADD COLUMN needs_operator boolean NOT NULL DEFAULT false;

-- The network from which an account made it; empty for commands and for those of before.
ALTER TABLE webhook_endpoints ADD COLUMN network text NOT NULL DEFAULT '';

-- Tokens that accounts made themselves in the dashboard: commands note what they do with "by".
UPDATE ingest_tokens t SET needs_operator = true
WHERE NOT owned_only AND EXISTS (
  SELECT FROM security_events e
  WHERE e.account_id = t.account_id AND e.event = 'ingest-token.created'
    AND e.details ->> 'tokenId' = t.token_id::text AND NOT e.details ? 'by'
);
UPDATE server_tokens t SET plan_needs_operator = true
FROM plans p
WHERE p.plan = t.plan AND NOT p.open AND p.plan <> 'free' AND EXISTS (
  SELECT FROM security_events e
  WHERE e.account_id = t.account_id AND e.event = 'token.created'
    AND e.details ->> 'tokenId' = t.token_id::text AND NOT e.details ? 'by'
) AND NOT EXISTS (
  SELECT FROM security_events e
  WHERE e.account_id = t.account_id AND e.event = 'token.plan-changed' AND e.details ->> 'tokenId' = t.token_id::text
);
UPDATE server_tokens t SET plan = 'free', plan_needs_operator = false
WHERE plan_needs_operator AND NOT EXISTS (SELECT FROM operators o WHERE o.account_id = t.account_id);

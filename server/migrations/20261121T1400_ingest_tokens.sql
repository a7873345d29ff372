-- Tokens with which an operator's own systems write (POST /ingest/v1/…). NULL in a scope means all.
CREATE TABLE ingest_tokens (
  token_id       uuid PRIMARY KEY,
  account_id     uuid NOT NULL REFERENCES accounts,
  name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  token_hash     bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  space_ids      integer[],
  starboard_ids  text[],
  credential_ids bigint[],
  created_at     timestamptz NOT NULL,
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz
);
CREATE INDEX ingest_tokens_by_account ON ingest_tokens (account_id, created_at);

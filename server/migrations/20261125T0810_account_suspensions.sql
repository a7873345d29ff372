-- A suspended account has no sessions and cannot sign in.
ALTER TABLE accounts ADD COLUMN suspended_at timestamptz, ADD COLUMN suspension_reason text;
ALTER TABLE accounts ADD CONSTRAINT accounts_suspension_reason_check CHECK (
  (suspended_at IS NULL) = (suspension_reason IS NULL) AND length(suspension_reason) BETWEEN 1 AND 500
);

-- A copy of accounts.suspended_at: the check of a token reads the row of the token alone.
ALTER TABLE server_tokens ADD COLUMN suspended_at timestamptz;
ALTER TABLE ingest_tokens ADD COLUMN suspended_at timestamptz;

-- For the list of people, newest first, and for searches by the name of an identity.
CREATE INDEX accounts_by_creation ON accounts (created_at, account_id);
CREATE INDEX identities_by_username ON identities (lower(username));

ALTER TABLE challenges
  DROP CONSTRAINT challenges_purpose_check,
  ADD CONSTRAINT challenges_purpose_check CHECK (purpose IN ('sign-in', 'link', 'merge'));

-- A merge that was proved from both sides and waits for its confirmation; taken out by the first one.
CREATE TABLE merge_offers (
  offer_id        text PRIMARY KEY,
  session_hash    bytea NOT NULL,
  into_account_id uuid NOT NULL,
  from_account_id uuid NOT NULL,
  kind            text NOT NULL, -- what proved the account that ends: its kind and subject (or passkey)
  subject         text NOT NULL,
  expires_at      timestamptz NOT NULL
);
CREATE INDEX merge_offers_by_expiry ON merge_offers (expires_at);

-- Accounts that have ended in another one. Their security events stay under their own id.
CREATE TABLE merged_accounts (
  account_id      uuid PRIMARY KEY,
  into_account_id uuid NOT NULL,
  merged_at       timestamptz NOT NULL
);
CREATE INDEX merged_accounts_by_survivor ON merged_accounts (into_account_id);

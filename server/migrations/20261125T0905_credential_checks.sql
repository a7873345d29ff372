-- The source asked not to be queried before this time.
ALTER TABLE credential_sources ADD COLUMN checks_paused_until timestamptz;

-- The last checks of single holders. A run that began before a check keeps the result of the check.
CREATE TABLE credential_checks (
  credential_id bigint NOT NULL,
  holder        text COLLATE "C" NOT NULL CHECK (length(holder) BETWEEN 1 AND 320),
  held          boolean NOT NULL,
  checked_at    timestamptz NOT NULL,
  PRIMARY KEY (credential_id, holder)
);
CREATE INDEX credential_checks_by_time ON credential_checks (checked_at);

-- Telegram accounts count for the other identities of their account.
INSERT INTO linked_names (name, kind, account_id)
SELECT subject COLLATE "C", kind, account_id FROM identities
WHERE kind = 'Telegram' AND use_for_eligibility AND subject ~ '^[1-9][0-9]{0,19}$'
ON CONFLICT DO NOTHING;

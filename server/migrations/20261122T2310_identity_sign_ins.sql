-- When an identity last signed its account in. Unknown for sign-ins before this migration.
ALTER TABLE identities ADD COLUMN last_signed_in_at timestamptz;

-- Tokens that an account made for what it owns: what it owns no longer, they write no longer.
ALTER TABLE ingest_tokens ADD COLUMN owned_only boolean NOT NULL DEFAULT false;

-- Name, homepage, purpose and scopes that the owner of an approved app wants and the operator has not decided about, as a
-- JSON object with the keys that differ; NULL: none are waiting. The same for the logo.
ALTER TABLE apps ADD COLUMN proposed_details jsonb;
ALTER TABLE apps ADD COLUMN proposed_logo bytea;
ALTER TABLE apps ADD COLUMN proposed_logo_type text;
ALTER TABLE apps ADD CONSTRAINT apps_proposed_logo CHECK (length(proposed_logo) <= 65536);
ALTER TABLE apps ADD CONSTRAINT apps_proposed_logo_type CHECK (proposed_logo_type IN ('image/png', 'image/jpeg', 'image/webp'));

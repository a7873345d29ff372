-- The logo of a space as a PNG file, and a version that changes with it. Null: the space has no logo.
ALTER TABLE spaces ADD COLUMN logo bytea, ADD COLUMN logo_version text;

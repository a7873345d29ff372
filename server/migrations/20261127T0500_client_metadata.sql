-- AI clients that no one registered: their client_id is the URL of a document about them
-- (draft-ietf-oauth-client-id-metadata-document). The row is a copy of the document.
ALTER TABLE apps ADD COLUMN metadata_url text;
ALTER TABLE apps ADD COLUMN metadata_at timestamptz; -- when it was fetched
ALTER TABLE apps ADD CONSTRAINT apps_metadata CHECK ((metadata_url IS NULL) = (metadata_at IS NULL));

-- Tokens in pages (qbp_…) read the listed spaces, from pages of the listed origins. Both are null for server tokens.
ALTER TABLE server_tokens ADD COLUMN origins text[], ADD COLUMN space_ids integer[];
ALTER TABLE server_tokens ADD CONSTRAINT server_tokens_publishable_check CHECK (
  (origins IS NULL) = (space_ids IS NULL) AND cardinality(origins) BETWEEN 1 AND 20 AND cardinality(space_ids) <= 100
);

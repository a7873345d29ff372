-- Redirect URIs that the owner of an approved app wants and the operator has not decided about; NULL: none are waiting.
ALTER TABLE apps ADD COLUMN proposed_redirect_uris text[] CHECK (cardinality(proposed_redirect_uris) BETWEEN 1 AND 20);

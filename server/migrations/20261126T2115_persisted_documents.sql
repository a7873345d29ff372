-- Documents of publishable tokens by their SHA-256.
CREATE TABLE persisted_documents (
  token_id  uuid NOT NULL,
  hash      bytea NOT NULL CHECK (length(hash) = 32),
  document  text NOT NULL,
  stored_at timestamptz NOT NULL,
  used_at   timestamptz NOT NULL,
  PRIMARY KEY (token_id, hash)
);
CREATE INDEX persisted_documents_by_use ON persisted_documents (used_at);

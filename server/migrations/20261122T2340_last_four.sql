-- The last four characters of a token's value, by which its owner recognizes it. Tokens made before have none.
ALTER TABLE server_tokens ADD COLUMN last_four text CHECK (length(last_four) = 4);
ALTER TABLE ingest_tokens ADD COLUMN last_four text CHECK (length(last_four) = 4);

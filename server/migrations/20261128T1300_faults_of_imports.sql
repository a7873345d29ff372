-- The reason for which a file is refused as a whole, for texts in other languages.
ALTER TABLE imports ADD COLUMN fault jsonb;

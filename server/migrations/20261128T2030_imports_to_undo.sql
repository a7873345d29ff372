-- A job looks for such an import each second.
CREATE INDEX imports_to_undo ON imports ((undo ->> 'at')) WHERE undo IS NOT NULL AND undo ->> 'endedAt' IS NULL;

-- The spaces whose points an import changed, and the progress of undoing it.
ALTER TABLE imports ADD COLUMN space_ids integer[], ADD COLUMN undo jsonb;

-- The operator who undid an import, in a column of its own, like applied_by, so that a merge or a deletion of the account
-- changes it without the progress, which the job writes.
ALTER TABLE imports ADD COLUMN undone_by uuid;
UPDATE imports SET undone_by = (undo ->> 'by')::uuid, undo = undo - 'by' WHERE undo IS NOT NULL;

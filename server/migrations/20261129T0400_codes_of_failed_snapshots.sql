-- Why the snapshot could not be sealed, for pages in other languages than `failure`. NULL for failures from before this column.
ALTER TABLE snapshots ADD COLUMN failure_code text;

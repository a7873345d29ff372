-- A text of the person who requested the snapshot; NULL: none.
ALTER TABLE snapshots ADD COLUMN note text;

-- The check of this key was a third of the cost of every award and of every imported row. All entries are written by one
-- function (ranking/boards.queries.ts, applyChanges), which writes their board before them in the same transaction.
ALTER TABLE board_entries DROP CONSTRAINT board_entries_space_id_sprint_id_fkey;

-- The order of a board is points down, address up: a mixed order, which no index can seek in one step.
-- ~points turns points around without leaving 32 bits, so that a page after a cursor is one range of the index
-- however many members share the cursor's points.
ALTER TABLE board_entries ADD COLUMN descent integer NOT NULL GENERATED ALWAYS AS (~points) STORED;
DROP INDEX board_entries_by_rank;
CREATE INDEX board_entries_by_rank ON board_entries (space_id, sprint_id, descent, address)
  INCLUDE (born, died, username, avatar);

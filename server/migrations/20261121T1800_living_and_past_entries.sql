-- How members stand, and how they stood, apart (docs/ranking.md): an award changes the member's row in place and leaves
-- a copy of what was, which only cursors of older versions ask for and which is swept with them.

-- A member's standing on a board in the versions born <= v < died.
CREATE TABLE board_past (
  space_id  integer NOT NULL,
  sprint_id integer NOT NULL,
  descent   integer NOT NULL,
  address   text COLLATE "C" NOT NULL,
  born      bigint NOT NULL,
  died      bigint NOT NULL,
  username  text NOT NULL,
  avatar    text NOT NULL,
  -- The order of the board; a page passes by what did not live in its version without looking at the rows.
  PRIMARY KEY (space_id, sprint_id, descent, address, born, died),
  CHECK (born < died)
);
-- An expression, so that no page, which asks for `died`, is tempted to sort what ended since its version.
CREATE INDEX board_past_by_end ON board_past (space_id, (died + 0));

INSERT INTO board_past
SELECT space_id, sprint_id, descent, address, born, died, username, avatar FROM board_entries
WHERE died < 9223372036854775807 ORDER BY space_id, died;
DELETE FROM board_entries WHERE died < 9223372036854775807;

-- Takes the primary key, both indexes and the check along. From now on one row a member.
ALTER TABLE board_entries DROP COLUMN died;
ALTER TABLE board_entries ADD PRIMARY KEY (space_id, sprint_id, address);
CREATE INDEX board_entries_by_rank ON board_entries (space_id, sprint_id, descent, address, born)
  INCLUDE (username, avatar);

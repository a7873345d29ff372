-- Changes of points since the counts of a board, sorted, so that a rank is corrected by two binary searches per row.
CREATE TABLE board_moves (
  space_id   integer NOT NULL,
  sprint_id  integer NOT NULL,
  version    bigint NOT NULL,
  part       integer NOT NULL, -- of at most 800 changes, which fit a page
  old_points integer[] NOT NULL,
  new_points integer[] NOT NULL,
  PRIMARY KEY (space_id, sprint_id, version, part)
) WITH (toast_tuple_target = 8160);

-- A radix tree of the members of a large board by points, four levels of eight bits (docs/ranking.md).
CREATE TABLE board_counts (
  space_id  integer NOT NULL,
  sprint_id integer NOT NULL,
  level     smallint NOT NULL, -- 0: the root
  prefix    bigint NOT NULL,   -- the upper bits of the points
  counts    integer[] NOT NULL, -- [k + 1]: members whose next eight bits are k or higher
  PRIMARY KEY (space_id, sprint_id, level, prefix)
);

-- The version of the space that the counts of a board describe.
CREATE TABLE board_counted (
  space_id  integer NOT NULL,
  sprint_id integer NOT NULL,
  version   bigint NOT NULL,
  PRIMARY KEY (space_id, sprint_id)
);

-- Notes old and new points of members for the newest version of a space; null if the member was not, or is not on the board.
CREATE FUNCTION note_changes(space integer, sprints integer[], old integer[], new integer[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO board_moves (space_id, sprint_id, version, part, old_points, new_points)
    SELECT v.space_id, c.sprint_id, v.version, (c.place - 1) / 800,
           coalesce(array_agg(c.old ORDER BY c.old) FILTER (WHERE c.old IS NOT NULL), '{}'),
           coalesce(array_agg(c.new ORDER BY c.new) FILTER (WHERE c.new IS NOT NULL), '{}')
    FROM space_versions v CROSS JOIN unnest(sprints, old, new) WITH ORDINALITY AS c (sprint_id, old, new, place)
    WHERE v.space_id = space
    GROUP BY v.space_id, c.sprint_id, v.version, (c.place - 1) / 800;
END
$$;

-- Creates the next version of a locked space with new totals of members. `places` has the current rows (ctid), and NULL
-- for new members, whose names are in `names` and `avatars`. Records the time of the version, unless a time after `since` is
-- recorded, or `since` is NULL because the transaction creates more versions. Returns the number of written members.
CREATE OR REPLACE FUNCTION apply_totals(
  space integer, sprints integer[], addresses text[], totals integer[], places tid[], names text[], avatars text[],
  recorded timestamptz, since timestamptz
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  next bigint;
  last timestamptz;
  changed integer;
  added integer := 0;
BEGIN
  UPDATE space_versions v SET version = v.version + 1 WHERE v.space_id = space RETURNING v.version INTO next;
  IF since IS NOT NULL THEN
    SELECT t.recorded_at INTO last FROM space_version_times t WHERE t.space_id = space ORDER BY t.version DESC LIMIT 1;
    IF coalesce(last <= since, true) THEN
      INSERT INTO space_version_times (space_id, version, recorded_at) VALUES (space, next, recorded)
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  INSERT INTO board_past (space_id, sprint_id, descent, address, born, died, username, avatar)
    SELECT e.space_id, e.sprint_id, e.descent, e.address, e.born, next, e.username, e.avatar
    FROM unnest(sprints, addresses, places) AS c (sprint_id, address, place)
    JOIN board_entries e ON e.ctid = c.place
    WHERE e.space_id = space AND e.sprint_id = c.sprint_id AND e.address = c.address;
  UPDATE board_entries e SET points = c.points, born = next
    FROM unnest(sprints, addresses, places, totals) AS c (sprint_id, address, place, points)
    WHERE e.ctid = c.place AND e.space_id = space AND e.sprint_id = c.sprint_id AND e.address = c.address;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF array_position(places, NULL) IS NOT NULL THEN
    INSERT INTO board_entries (space_id, sprint_id, points, address, born, username, avatar)
      SELECT v.space_id, c.sprint_id, c.points, c.address, next,
             coalesce(nullif(c.username, ''), substr(md5(c.address), 1, 10)), c.avatar
      FROM space_versions v
      CROSS JOIN unnest(sprints, addresses, places, totals, names, avatars)
        AS c (sprint_id, address, place, points, username, avatar)
      WHERE v.space_id = space AND c.place IS NULL;
    GET DIAGNOSTICS added = ROW_COUNT;
    INSERT INTO boards AS b (space_id, sprint_id, member_count)
      SELECT v.space_id, c.sprint_id, count(*)
      FROM space_versions v CROSS JOIN unnest(sprints, places) AS c (sprint_id, place)
      WHERE v.space_id = space AND c.place IS NULL
      GROUP BY v.space_id, c.sprint_id
      ON CONFLICT (space_id, sprint_id) DO UPDATE SET member_count = b.member_count + excluded.member_count;
  END IF;
  RETURN changed + added;
END
$$;

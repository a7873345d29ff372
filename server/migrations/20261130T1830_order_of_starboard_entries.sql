-- The primary key is the order of a ranking. Users are found by a hash: a second order would take half the time of a ranking
-- of all users.

ALTER TABLE starboard_entries DROP CONSTRAINT starboard_entries_pkey;
DROP INDEX starboard_entries_in_order;
ALTER TABLE starboard_entries ADD PRIMARY KEY (starboard_id, generation, descent, handle, from_version);
CREATE INDEX starboard_entries_of_user ON starboard_entries USING hash (handle);

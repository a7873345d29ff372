-- Rankings of starboards in proportion to their changes: an entry is valid for a range of versions, and ranks are counted
-- when they are read.

ALTER TABLE starboard_rankings
  ADD COLUMN generation       bigint,                     -- the version that wrote the entries of all users
  ADD COLUMN previous_version bigint,                     -- the version of the previous ranks; NULL: the entries contain them
  ADD COLUMN rows_written     integer NOT NULL DEFAULT 0, -- by this version
  ADD COLUMN changed          integer NOT NULL DEFAULT 0, -- entries that were written since the generation began
  ADD COLUMN moved            integer NOT NULL DEFAULT 0; -- users whose score is not their previous score

-- Cursors of the earlier format are expired, so only current rankings are needed.
DELETE FROM starboard_rankings r WHERE EXISTS (
  SELECT FROM starboard_rankings n WHERE n.starboard_id = r.starboard_id AND n.version > r.version);
UPDATE starboard_rankings SET generation = version, rows_written = user_count, moved = user_count;
ALTER TABLE starboard_rankings ALTER COLUMN generation SET NOT NULL;

-- The values of a user, from from_version until before until_version of a generation.
CREATE TABLE starboard_entries (
  starboard_id   text COLLATE "C" NOT NULL,
  generation     bigint NOT NULL,
  handle         text COLLATE "C" NOT NULL,
  from_version   bigint NOT NULL,
  until_version  bigint CHECK (until_version > from_version), -- NULL: still valid
  score          numeric(20, 6) NOT NULL,
  descent        numeric(20, 6) GENERATED ALWAYS AS (-score) STORED, -- for an index in the order of the ranking
  previous_rank  integer, -- if the entry is newer than the previous version
  previous_score numeric(20, 6),
  score_24h      numeric(20, 6),
  score_7d       numeric(20, 6),
  score_30d      numeric(20, 6),
  individual     integer NOT NULL,
  aura           integer NOT NULL
) WITH (fillfactor = 85);
INSERT INTO starboard_entries (starboard_id, generation, handle, from_version, score, previous_rank, previous_score,
    score_24h, score_7d, score_30d, individual, aura)
  SELECT k.starboard_id, k.version, k.handle, k.version, k.score, k.previous_rank, k.previous_score,
    k.score_24h, k.score_7d, k.score_30d, k.individual, k.aura
  FROM starboard_ranks k JOIN starboard_rankings r ON r.starboard_id = k.starboard_id AND r.version = k.version
  ORDER BY k.starboard_id, k.position;
-- The planner expects one row of a new generation. So only one index begins with it: the index for ranges of a generation.
ALTER TABLE starboard_entries ADD PRIMARY KEY (starboard_id, handle, generation, from_version);
CREATE INDEX starboard_entries_in_order ON starboard_entries (starboard_id, generation, descent, handle);

-- Some places in the order of a ranking, with the number of users up to each. Ranks are counted from the last place before.
CREATE TABLE starboard_places (
  starboard_id text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  descent      numeric(20, 6) NOT NULL,
  handle       text COLLATE "C" NOT NULL,
  users        integer NOT NULL,
  PRIMARY KEY (starboard_id, version, descent, handle)
);
INSERT INTO starboard_places (starboard_id, version, descent, handle, users)
  SELECT k.starboard_id, k.version, -k.score, k.handle, k.position
  FROM starboard_ranks k JOIN starboard_rankings r ON r.starboard_id = k.starboard_id AND r.version = k.version
  WHERE k.position % 128 = 0;
DROP TABLE starboard_ranks;

-- The handles whose samples changed in one transaction, until a refresh includes them.
CREATE TABLE starboard_sample_changes (
  starboard_id text COLLATE "C" NOT NULL REFERENCES starboards,
  change_id    uuid NOT NULL DEFAULT gen_random_uuid(),
  handles      text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (starboard_id, change_id)
);
INSERT INTO starboard_sample_changes (starboard_id, handles)
  SELECT u.starboard_id, array_agg(u.handle) FROM starboard_changes c
  JOIN starboard_refreshes l ON l.starboard_id = c.starboard_id AND l.samples <> c.samples
  JOIN starboard_users u ON u.starboard_id = c.starboard_id
  GROUP BY u.starboard_id;
DROP TABLE starboard_changes;
ALTER TABLE starboard_refreshes DROP COLUMN samples;

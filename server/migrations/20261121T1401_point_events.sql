-- The awards that were applied, by the key that their sender gave them: the same key again changes nothing.
-- Written and read under the lock of the space's row in space_versions.
CREATE TABLE point_events (
  space_id   integer NOT NULL,
  key        text COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
  sprint_id  integer NOT NULL DEFAULT 0 CHECK (sprint_id >= 0), -- 0: the overall board alone
  address    text COLLATE "C" NOT NULL,
  points     integer NOT NULL,
  applied_at timestamptz NOT NULL,
  PRIMARY KEY (space_id, key)
);
CREATE INDEX point_events_by_age ON point_events (applied_at);

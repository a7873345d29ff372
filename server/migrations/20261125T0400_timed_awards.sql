-- Awards whose points are not available yet, or expire. The first statement has the strongest lock.
ALTER TABLE ledger_entries
  ADD COLUMN pending integer,          -- change of the points that are not available yet
  ADD COLUMN award text,               -- version and position of the award that becomes available
  ADD COLUMN available_at timestamptz, -- of the award
  ADD COLUMN expires_at timestamptz;

-- The awards that will still change points, by their entries. Written under the lock of the space.
CREATE TABLE timed_awards (
  space_id   integer NOT NULL,
  version    bigint NOT NULL,
  position   integer NOT NULL,
  entered_at timestamptz NOT NULL,
  sprint_id  integer NOT NULL, -- 0: without a sprint, or the sprint was deleted
  address    text COLLATE "C" NOT NULL,
  available  boolean NOT NULL, -- false: the points become available at due_at; true: they expire
  due_at     timestamptz NOT NULL,
  PRIMARY KEY (space_id, version, position)
);
CREATE INDEX timed_awards_by_due ON timed_awards (due_at);
CREATE INDEX timed_awards_by_address ON timed_awards (space_id, address);

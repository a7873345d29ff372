-- The keys of awards from before the ledger, read until they are 35 days old. An instance of an older version can store
-- no award from here on, because it would not write the ledger.
ALTER TABLE point_events RENAME TO award_keys;

-- One row per change of points, never edited; written in the transaction of the change, under the lock of the space.
-- Partitions of one month are in the schema ledger (ranking/ledger.queries.ts creates them).
CREATE SCHEMA ledger;
CREATE TABLE ledger_entries (
  space_id      integer NOT NULL,
  sprint_id     integer NOT NULL CHECK (sprint_id >= 0), -- 0: only the overall board
  version       bigint NOT NULL,                         -- of the space, created by the change; 0: opening balances
  entered_at    timestamptz NOT NULL,
  position      integer NOT NULL,                        -- order within the version
  points_before integer, -- on the overall board; null if the member was not on it, or if it is not concerned
  points_after  integer,
  sprint_before integer, -- on the board of the sprint
  sprint_after  integer,
  actor         uuid,    -- the ingest token or the account
  source        text NOT NULL,
  address       text COLLATE "C" NOT NULL,
  key           text COLLATE "C",
  reason        text,
  reverses      text,    -- version and position of the reversed entry
  PRIMARY KEY (space_id, version, position, entered_at)
) PARTITION BY RANGE (entered_at);
CREATE INDEX ledger_entries_by_key ON ledger_entries (space_id, key) WHERE key IS NOT NULL;
CREATE INDEX ledger_entries_by_address ON ledger_entries (space_id, address, version);
CREATE INDEX ledger_entries_by_reversed ON ledger_entries (space_id, reverses) WHERE reverses IS NOT NULL;

-- Boards from before the ledger whose opening balances are not all entered; a job enters them in the order of addresses.
CREATE TABLE ledger_openings (
  space_id     integer NOT NULL,
  sprint_id    integer NOT NULL,
  last_address text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (space_id, sprint_id)
);
INSERT INTO ledger_openings (space_id, sprint_id)
SELECT space_id, sprint_id FROM boards WHERE member_count > 0;

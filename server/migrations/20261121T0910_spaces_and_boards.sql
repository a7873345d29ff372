-- Spaces and their loyalty boards. A board is one space with one sprint; sprint 0 is the overall board.

CREATE TABLE spaces (
  space_id         integer PRIMARY KEY CHECK (space_id > 0),
  name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  description      text CHECK (length(description) <= 10000),
  owner_account_id uuid REFERENCES accounts,
  created_at       timestamptz NOT NULL
);

CREATE TABLE sprints (
  space_id   integer NOT NULL REFERENCES spaces,
  sprint_id  integer NOT NULL CHECK (sprint_id > 0),
  name       text NOT NULL DEFAULT '' CHECK (length(name) <= 200),
  start_time timestamptz,
  end_time   timestamptz,
  PRIMARY KEY (space_id, sprint_id),
  CHECK (end_time IS NULL OR start_time IS NULL OR end_time >= start_time)
);

-- One row a space: every change of any of its boards locks it and takes the next version,
-- so that the order of versions is the order of commits.
CREATE TABLE space_versions (
  space_id integer PRIMARY KEY REFERENCES spaces,
  version  bigint NOT NULL DEFAULT 0 CHECK (version >= 0)
);

-- When a version was the current one; tells the sweeper which dead rows no cursor can reach.
CREATE TABLE space_version_times (
  space_id    integer NOT NULL,
  version     bigint NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (space_id, version)
);

CREATE TABLE boards (
  space_id     integer NOT NULL REFERENCES spaces,
  sprint_id    integer NOT NULL CHECK (sprint_id >= 0),
  member_count integer NOT NULL DEFAULT 0 CHECK (member_count >= 0),
  PRIMARY KEY (space_id, sprint_id)
);

-- A member's standing on a board, alive for the versions born <= v < died.
-- What a page shows stands here, so that a page is one index-only range scan.
CREATE TABLE board_entries (
  space_id  integer NOT NULL,
  sprint_id integer NOT NULL,
  points    integer NOT NULL,
  address   text COLLATE "C" NOT NULL CHECK (length(address) BETWEEN 1 AND 90),
  born      bigint NOT NULL,
  died      bigint NOT NULL DEFAULT 9223372036854775807,
  username  text NOT NULL CHECK (length(username) BETWEEN 1 AND 100),
  avatar    text NOT NULL DEFAULT '' CHECK (length(avatar) <= 500),
  -- died stands in the key: of each member at most one row is alive.
  PRIMARY KEY (space_id, sprint_id, address, died),
  FOREIGN KEY (space_id, sprint_id) REFERENCES boards,
  CHECK (born < died)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX board_entries_by_rank ON board_entries (space_id, sprint_id, points DESC, address)
  INCLUDE (born, died, username, avatar);
CREATE INDEX board_entries_dead ON board_entries (space_id, died) WHERE died < 9223372036854775807;

-- What a member is called, by canonical address; copied into board_entries when either changes.
CREATE TABLE profiles (
  address  text COLLATE "C" PRIMARY KEY CHECK (length(address) BETWEEN 1 AND 90),
  username text CHECK (length(username) BETWEEN 1 AND 100),
  avatar   text NOT NULL DEFAULT '' CHECK (length(avatar) <= 500)
);

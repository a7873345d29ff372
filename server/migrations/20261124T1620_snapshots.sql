-- Sealed lists: the members of a board at one version, the holders of a credential, or the participants of a quest.

-- A snapshot is kept after its space, credential or quest was deleted, so it has no foreign keys.
CREATE TABLE snapshots (
  snapshot_id   uuid PRIMARY KEY,
  kind          text NOT NULL CHECK (kind IN ('space', 'credential', 'quest')),
  -- Of a credential: the space of its curator.
  space_id      integer,
  sprint_id     integer,
  credential_id bigint,
  quest_id      text COLLATE "C",
  name          text NOT NULL,
  version       bigint,
  as_of         timestamptz NOT NULL,
  is_public     boolean NOT NULL,
  created_at    timestamptz NOT NULL,
  state         text NOT NULL CHECK (state IN ('waiting', 'sealed', 'failed')),
  -- Of building it; an attempt that did not end was interrupted.
  attempts      integer NOT NULL DEFAULT 0,
  failure       text,
  sealed_at     timestamptz,
  members       bigint,
  points        bigint,
  leaves        bigint,
  bytes         bigint,
  digest        bytea CHECK (length(digest) = 32),
  root          bytea CHECK (length(root) = 32),
  CHECK (CASE kind
    WHEN 'space' THEN space_id IS NOT NULL AND sprint_id IS NOT NULL AND version IS NOT NULL
    WHEN 'credential' THEN credential_id IS NOT NULL
    ELSE quest_id IS NOT NULL AND space_id IS NOT NULL END),
  CHECK (state <> 'sealed' OR num_nulls(sealed_at, members, points, leaves, bytes, digest) = 0)
);
CREATE INDEX snapshots_by_time ON snapshots (created_at DESC, snapshot_id);

-- The list in the order of ranks, 1,024 entries a row (snapshots/entries.ts).
CREATE TABLE snapshot_entries (
  snapshot_id uuid NOT NULL,
  chunk       integer NOT NULL,
  first_rank  bigint NOT NULL,
  entries     bytea NOT NULL,
  PRIMARY KEY (snapshot_id, chunk)
);

-- Where an address is in the list and in the tree, by a hash of the address (snapshots/places.ts).
CREATE TABLE snapshot_places (
  snapshot_id uuid NOT NULL,
  chunk       integer NOT NULL,
  places      bytea NOT NULL,
  PRIMARY KEY (snapshot_id, chunk)
);

-- The nodes of the Merkle tree: the leaves in the order of their hashes, then their parents, the root last.
CREATE TABLE snapshot_nodes (
  snapshot_id uuid NOT NULL,
  chunk       integer NOT NULL,
  nodes       bytea NOT NULL,
  PRIMARY KEY (snapshot_id, chunk)
);

-- Hashes cannot be compressed, and a proof reads a few bytes of a row.
ALTER TABLE snapshot_entries ALTER COLUMN entries SET STORAGE EXTERNAL;
ALTER TABLE snapshot_places ALTER COLUMN places SET STORAGE EXTERNAL;
ALTER TABLE snapshot_nodes ALTER COLUMN nodes SET STORAGE EXTERNAL;

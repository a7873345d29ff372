-- Where holder lists come from, and how the last attempts to bring them in went.

CREATE TABLE credential_sources (
  credential_id    bigint PRIMARY KEY REFERENCES credentials,
  -- As docs/sync.md describes it; checked before it is stored.
  source           jsonb NOT NULL,
  every_seconds    integer NOT NULL CHECK (every_seconds > 0),
  -- NULL: only when an operator asks (or at answer time).
  next_run_at      timestamptz,
  state            text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'held')),
  -- Why the last run failed or is held, for the operator.
  reason           text CHECK (length(reason) <= 2000),
  -- Runs that failed since the last one that did not.
  failures         integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  last_run_at      timestamptz,
  last_success_at  timestamptz,
  -- Who runs it now, and until when nobody else may; extended while it runs.
  lease            uuid,
  lease_until      timestamptz,
  CHECK ((lease IS NULL) = (lease_until IS NULL))
);
CREATE INDEX credential_sources_due ON credential_sources (next_run_at) WHERE next_run_at IS NOT NULL;

-- How far the transfer logs of a contract were read. block_hash tells whether the chain still has that block.
CREATE TABLE chain_checkpoints (
  credential_id bigint PRIMARY KEY REFERENCES credential_sources ON DELETE CASCADE,
  -- What was read (contract, standard, ids, first block, chain): another configuration starts from the beginning.
  scope         text NOT NULL,
  block_number  bigint NOT NULL CHECK (block_number >= 0),
  block_hash    text NOT NULL CHECK (block_hash ~ '^0x[0-9a-f]{64}$')
);

CREATE TABLE chain_balances (
  credential_id bigint NOT NULL REFERENCES credential_sources ON DELETE CASCADE,
  address       text COLLATE "C" NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  balance       numeric NOT NULL,
  PRIMARY KEY (credential_id, address)
);

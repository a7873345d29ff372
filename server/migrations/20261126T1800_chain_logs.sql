-- Logs of events of contracts, for lists of addresses and for rules (docs/sync.md, docs/rules.md). They outlast the source
-- of the credential, so that a log that is read again is not a new one.
CREATE TABLE chain_log_lists (
  credential_id bigint PRIMARY KEY REFERENCES credentials ON DELETE CASCADE,
  began_at      timestamptz NOT NULL, -- tells a list from an earlier one of a credential with the same id
  last_position integer NOT NULL DEFAULT 0,
  scan          integer NOT NULL DEFAULT 0, -- the last scan from the first block
  complete_scan integer NOT NULL DEFAULT 0, -- the chain no longer has logs that were found only before this scan
  CHECK (complete_scan <= scan)
);

CREATE TABLE chain_logs (
  credential_id bigint NOT NULL REFERENCES chain_log_lists ON DELETE CASCADE,
  log_id        text COLLATE "C" NOT NULL, -- transaction, event, and number in the transaction: the same after a reorganization
  position      integer NOT NULL, -- in the order in which the service found the logs
  ref           uuid NOT NULL DEFAULT gen_random_uuid(), -- in keys of ledger entries, which must not name the member
  address       text COLLATE "C" NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  amount        numeric,
  block_number  bigint NOT NULL CHECK (block_number >= 0),
  happened_at   timestamptz NOT NULL, -- of the block
  scan          integer NOT NULL, -- the last one that found the log
  PRIMARY KEY (credential_id, log_id),
  UNIQUE (credential_id, position)
);
CREATE INDEX chain_logs_by_address ON chain_logs (credential_id, address);

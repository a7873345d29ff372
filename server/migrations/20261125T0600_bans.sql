-- Bans exclude an account or an address from boards, claims and snapshots (docs/bans.md).
CREATE TABLE bans (
  ban_id     uuid PRIMARY KEY,
  account_id uuid, -- remains after the account was deleted
  address    text COLLATE "C" CHECK (length(address) BETWEEN 1 AND 90),
  space_id   integer, -- null: all spaces
  reason     text NOT NULL,
  created_at timestamptz NOT NULL,
  created_by uuid, -- an operator; null: a command
  ends_at    timestamptz,
  ended_at   timestamptz,
  ended_by   uuid, -- an operator; null: a command, or the end of its time
  end_cause  text CHECK (end_cause IN ('lifted', 'expired')),
  CHECK (num_nonnulls(account_id, address) = 1),
  CHECK (num_nonnulls(ended_at, end_cause) <> 1)
);
CREATE INDEX bans_by_time ON bans (created_at DESC, ban_id DESC);
CREATE INDEX bans_by_account ON bans (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX bans_by_end ON bans (ends_at) WHERE ended_at IS NULL AND ends_at IS NOT NULL;

-- The addresses of the bans that have not ended.
CREATE TABLE ban_addresses (
  space_id integer NOT NULL, -- 0: all spaces
  address  text COLLATE "C" NOT NULL,
  ban_id   uuid NOT NULL,
  PRIMARY KEY (space_id, address, ban_id)
);
CREATE INDEX ban_addresses_by_address ON ban_addresses (address);
CREATE INDEX ban_addresses_by_ban ON ban_addresses (ban_id);

-- The points of banned members, who are not on the board. A member has a row here or in board_entries, not both.
CREATE TABLE banned_entries (
  space_id  integer NOT NULL,
  sprint_id integer NOT NULL,
  address   text COLLATE "C" NOT NULL,
  points    integer NOT NULL,
  PRIMARY KEY (space_id, sprint_id, address)
);
CREATE INDEX banned_entries_by_address ON banned_entries (address);

-- Members that a snapshot left out because they were banned.
ALTER TABLE snapshots ADD COLUMN banned bigint NOT NULL DEFAULT 0;

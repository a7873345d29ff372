-- Who may call: accounts, plans, server access tokens, their quota and their use.

CREATE TABLE accounts (
  account_id uuid PRIMARY KEY,
  name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  created_at timestamptz NOT NULL
);

-- NULL means no limit.
CREATE TABLE plans (
  plan       text PRIMARY KEY CHECK (plan ~ '^[a-z][a-z0-9-]{0,39}$'),
  per_second integer CHECK (per_second > 0),
  per_day    integer CHECK (per_day > 0)
);

CREATE TABLE server_tokens (
  token_id   uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  areas      text[] NOT NULL CHECK (areas <@ ARRAY['starboard', 'space', 'credential', 'quest'] AND cardinality(areas) > 0),
  plan       text NOT NULL REFERENCES plans,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX server_tokens_by_account ON server_tokens (account_id, created_at);

-- Units handed to instances in blocks, so that no window is ever exceeded (see access/quota.ts).
-- window_start counts seconds since 1970 for 'second' and days since 1970 for 'day'.
CREATE TABLE quota_windows (
  token_id     uuid NOT NULL,
  period       text NOT NULL CHECK (period IN ('second', 'day')),
  window_start bigint NOT NULL,
  leased       integer NOT NULL CHECK (leased >= 0),
  granted      integer NOT NULL CHECK (granted >= 0), -- the size of the newest lease
  PRIMARY KEY (token_id, period, window_start)
);

CREATE TABLE token_usage (
  token_id     uuid NOT NULL,
  day          date NOT NULL,
  operation    text NOT NULL CHECK (length(operation) <= 200),
  status       smallint NOT NULL,
  requests     bigint NOT NULL CHECK (requests > 0),
  last_used_at timestamptz NOT NULL,
  PRIMARY KEY (token_id, day, operation, status)
);

-- Keys of the installation (cursor signing) and facts about it (demo data loaded).
CREATE TABLE installation (
  name  text PRIMARY KEY,
  value text NOT NULL
);

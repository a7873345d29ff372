-- Who somebody is: identities, passkeys, browser sessions, challenges, security events.

CREATE TABLE identities (
  account_id uuid NOT NULL REFERENCES accounts,
  kind       text NOT NULL CHECK (kind ~ '^[A-Za-z]{1,40}$'),
  subject    text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200), -- immutable: canonical address, numeric id
  username   text CHECK (length(username) <= 200),                    -- what people call it; may change
  linked_at  timestamptz NOT NULL,
  PRIMARY KEY (account_id, kind, subject)
);

-- The same fact by subject: one identity belongs to one account, and signing in finds that account.
CREATE TABLE identity_subjects (
  subject    text NOT NULL,
  kind       text NOT NULL,
  account_id uuid NOT NULL,
  PRIMARY KEY (subject, kind)
);

CREATE TABLE passkeys (
  passkey_id    text PRIMARY KEY CHECK (length(passkey_id) BETWEEN 1 AND 1400),
  account_id    uuid NOT NULL,
  public_key    bytea NOT NULL,
  sign_count    bigint NOT NULL,
  transports    text[] NOT NULL,
  created_at    timestamptz NOT NULL,
  last_used_at  timestamptz
);
CREATE INDEX passkeys_by_account ON passkeys (account_id);

CREATE TABLE sessions (
  session_hash     bytea PRIMARY KEY CHECK (length(session_hash) = 32),
  session_id       uuid NOT NULL, -- names the session in lists; signs nobody in
  account_id       uuid NOT NULL,
  authenticated_at timestamptz NOT NULL,
  last_seen_at     timestamptz NOT NULL,
  expires_at       timestamptz NOT NULL,
  user_agent       text NOT NULL CHECK (length(user_agent) <= 300),
  address          text NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account_id);

-- What was asked of a browser; taken out on the first answer, right or wrong.
CREATE TABLE challenges (
  challenge_id text PRIMARY KEY,
  browser_hash bytea NOT NULL,
  session_hash bytea,
  account_id   uuid,
  kind         text NOT NULL,
  purpose      text NOT NULL CHECK (purpose IN ('sign-in', 'link')),
  stored       jsonb NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX challenges_by_expiry ON challenges (expires_at);

CREATE TABLE operators (
  account_id uuid PRIMARY KEY,
  granted_at timestamptz NOT NULL
);

CREATE TABLE security_events (
  account_id  uuid NOT NULL,
  happened_at timestamptz NOT NULL,
  event_id    uuid NOT NULL,
  event       text NOT NULL,
  client_id   text,
  address     text NOT NULL DEFAULT '',
  details     jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (account_id, happened_at, event_id)
);

-- Attempts per name (address, app) and fixed window, counted by all instances together.
CREATE TABLE attempt_windows (
  name         text NOT NULL,
  window_start bigint NOT NULL, -- seconds since 1970
  attempts     integer NOT NULL CHECK (attempts > 0),
  PRIMARY KEY (name, window_start)
);
CREATE INDEX attempt_windows_by_start ON attempt_windows (window_start);

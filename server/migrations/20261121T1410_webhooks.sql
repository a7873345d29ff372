-- Events out: who wants to hear of what, what is to be sent, and how each attempt went.

CREATE TABLE webhook_endpoints (
  endpoint_id     uuid PRIMARY KEY,
  account_id      uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url             text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
  description     text NOT NULL CHECK (length(description) <= 500),
  event_types     text[] NOT NULL CHECK (cardinality(event_types) > 0),
  -- What it is about: 'space:40', 'starboard:ID', 'credential:ID'.
  subjects        text[] NOT NULL,
  min_points      integer NOT NULL CHECK (min_points > 0),
  top             integer NOT NULL CHECK (top BETWEEN 1 AND 1000),
  -- Which boards of its spaces rank events are about.
  boards          text NOT NULL CHECK (boards IN ('all', 'overall', 'sprints')),
  created_at      timestamptz NOT NULL,
  disabled_at     timestamptz,
  disabled_reason text CHECK (length(disabled_reason) <= 500),
  -- The first failed attempt since one succeeded.
  failing_since   timestamptz,
  -- The receiver asked for a pause (Retry-After).
  paused_until    timestamptz,
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhook_endpoints_by_account ON webhook_endpoints (account_id, created_at);

-- Sealed with a key that is not in the database. The newest signs; one that was replaced signs too, until it expires.
CREATE TABLE webhook_secrets (
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  secret_id   uuid NOT NULL,
  sealed      bytea NOT NULL,
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz,
  PRIMARY KEY (endpoint_id, secret_id)
);

-- The enabled endpoints by what they are about: a transaction that changes a subject looks here, once.
CREATE TABLE webhook_subscriptions (
  subject     text COLLATE "C" NOT NULL,
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  account_id  uuid NOT NULL,
  event_types text[] NOT NULL,
  min_points  integer NOT NULL,
  top         integer NOT NULL,
  boards      text NOT NULL,
  PRIMARY KEY (subject, endpoint_id)
);
CREATE INDEX webhook_subscriptions_by_endpoint ON webhook_subscriptions (endpoint_id);

-- Outbox and queue in one: written in the transaction of what a message tells about. No foreign key: deleting an
-- endpoint at that moment must not fail the transaction.
CREATE TABLE webhook_messages (
  endpoint_id     uuid NOT NULL,
  message_id      text COLLATE "C" NOT NULL DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  event_type      text NOT NULL,
  payload         text NOT NULL, -- as it is sent and signed
  created_at      timestamptz NOT NULL,
  state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  -- Attempts since it was last put in the queue, which place it in the retry schedule.
  tries           integer NOT NULL DEFAULT 0,
  -- When it is due; NULL once it is settled.
  next_attempt_at timestamptz,
  -- Who sends it now; next_attempt_at is then when the attempt counts as lost.
  lease           uuid,
  PRIMARY KEY (endpoint_id, message_id),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX webhook_messages_due ON webhook_messages (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_messages_by_time ON webhook_messages (endpoint_id, created_at DESC, message_id);
CREATE INDEX webhook_messages_by_age ON webhook_messages (created_at);

CREATE TABLE webhook_attempts (
  endpoint_id uuid NOT NULL,
  message_id  text COLLATE "C" NOT NULL,
  attempt     integer NOT NULL CHECK (attempt > 0),
  started_at  timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  status      integer, -- NULL when there was no answer
  error       text,
  response    text NOT NULL, -- the beginning of the answer's body
  PRIMARY KEY (endpoint_id, message_id, attempt)
);

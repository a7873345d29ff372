-- Apps that sign users in, and what they were given.

-- Small: a reference table on a distributed database.
CREATE TABLE apps (
  client_id        text PRIMARY KEY CHECK (client_id ~ '^[A-Za-z0-9]{8,64}$'),
  owner_account_id uuid NOT NULL,
  name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  homepage         text NOT NULL DEFAULT '' CHECK (length(homepage) <= 500),
  purpose          text NOT NULL CHECK (length(purpose) <= 2000),
  status           text NOT NULL CHECK (status IN ('pending', 'approved', 'refused', 'suspended')),
  status_reason    text NOT NULL DEFAULT '' CHECK (length(status_reason) <= 500),
  redirect_uris    text[] NOT NULL CHECK (cardinality(redirect_uris) BETWEEN 1 AND 20),
  scopes           text[] NOT NULL,
  allowed_origins  text[] NOT NULL DEFAULT '{}' CHECK (cardinality(allowed_origins) <= 20),
  expiring_tokens  boolean NOT NULL DEFAULT false,
  s256_only        boolean NOT NULL DEFAULT false,
  logo             bytea CHECK (length(logo) <= 65536),
  logo_type        text CHECK (logo_type IN ('image/png', 'image/jpeg', 'image/webp')),
  created_at       timestamptz NOT NULL,
  decided_at       timestamptz
);
CREATE INDEX apps_by_owner ON apps (owner_account_id);
CREATE INDEX apps_by_origin ON apps USING gin (allowed_origins);

CREATE TABLE app_secrets (
  client_id   text NOT NULL REFERENCES apps ON DELETE CASCADE,
  secret_id   uuid NOT NULL,
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz, -- set when a newer one takes over
  PRIMARY KEY (client_id, secret_id)
);

-- A checked authorization request, bound to the browser that made it.
CREATE TABLE authorizations (
  authorization_id      text PRIMARY KEY,
  browser_hash          bytea NOT NULL,
  client_id             text NOT NULL,
  redirect_uri          text NOT NULL,
  scopes                text[] NOT NULL,
  state                 text NOT NULL,
  code_challenge        text,
  code_challenge_method text CHECK (code_challenge_method IN ('plain', 'S256')),
  nonce                 text,
  prompt                text[] NOT NULL,
  max_age               integer,
  created_at            timestamptz NOT NULL,
  expires_at            timestamptz NOT NULL,
  decided_at            timestamptz
);
CREATE INDEX authorizations_by_expiry ON authorizations (expires_at);

-- What an account lets an app see. shared: {"EVMAddress": "0x…"}
CREATE TABLE consents (
  account_id uuid NOT NULL,
  client_id  text NOT NULL,
  scopes     text[] NOT NULL,
  shared     jsonb NOT NULL,
  granted_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, client_id)
);

-- A code and all that comes of it is one family: the first 8 bytes of each of its values name it,
-- so that a redemption, a refresh and a look-up each stay at one distribution value.
CREATE TABLE authorization_codes (
  family                bytea NOT NULL CHECK (length(family) = 8),
  code_hash             bytea NOT NULL CHECK (length(code_hash) = 32),
  client_id             text NOT NULL,
  account_id            uuid NOT NULL,
  redirect_uri          text NOT NULL,
  scopes                text[] NOT NULL,
  shared                jsonb NOT NULL,
  code_challenge        text,
  code_challenge_method text,
  nonce                 text,
  authenticated_at      timestamptz NOT NULL,
  expires_at            timestamptz NOT NULL,
  spent_at              timestamptz, -- redeemed, or burnt by a failed attempt of its own app
  PRIMARY KEY (family, code_hash)
);
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at);
CREATE INDEX authorization_codes_by_account ON authorization_codes (account_id, client_id);

CREATE TABLE grants (
  family       bytea NOT NULL CHECK (length(family) = 8),
  client_id    text NOT NULL,
  account_id   uuid NOT NULL,
  scopes       text[] NOT NULL,
  shared       jsonb NOT NULL,
  created_at   timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  revoked_at   timestamptz,
  PRIMARY KEY (family)
);
CREATE INDEX grants_by_account ON grants (account_id, client_id);
CREATE INDEX grants_by_client ON grants (client_id);

CREATE TABLE access_tokens (
  family     bytea NOT NULL REFERENCES grants ON DELETE CASCADE,
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  scopes     text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  PRIMARY KEY (family, token_hash)
);

CREATE TABLE refresh_tokens (
  family     bytea NOT NULL REFERENCES grants ON DELETE CASCADE,
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  rotated_at timestamptz,
  PRIMARY KEY (family, token_hash)
);

CREATE TABLE signing_keys (
  key_id      text PRIMARY KEY,
  public_key  jsonb NOT NULL,
  private_key bytea NOT NULL, -- AES-256-GCM under the installation's secret
  created_at  timestamptz NOT NULL
);

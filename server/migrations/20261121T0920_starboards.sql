-- Starboards: who is tracked, their score samples, and the rankings computed from them.

CREATE TABLE starboards (
  starboard_id       text COLLATE "C" PRIMARY KEY CHECK (starboard_id ~ '^[A-Za-z0-9_-]{1,100}$'),
  name               text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  project_name       text NOT NULL DEFAULT '' CHECK (length(project_name) <= 200),
  description        text NOT NULL DEFAULT '' CHECK (length(description) <= 10000),
  tags               text[] NOT NULL DEFAULT '{}',
  type               text NOT NULL CHECK (type IN ('TWITTER', 'ONCHAIN')),
  reward_name        text CHECK (length(reward_name) <= 200),
  reward_description text CHECK (length(reward_description) <= 10000),
  reward_start_time  timestamptz,
  reward_end_time    timestamptz,
  owner_account_id   uuid REFERENCES accounts,
  created_at         timestamptz NOT NULL,
  CHECK (reward_end_time IS NULL OR reward_start_time IS NULL OR reward_end_time >= reward_start_time),
  CHECK (reward_name IS NOT NULL OR (reward_description IS NULL AND reward_start_time IS NULL AND reward_end_time IS NULL))
);

-- handle is the lower-case look-up key; username keeps the spelling of the platform.
CREATE TABLE starboard_users (
  starboard_id      text COLLATE "C" NOT NULL REFERENCES starboards,
  handle            text COLLATE "C" NOT NULL CHECK (handle ~ '^[a-z0-9_]{1,50}$'),
  username          text NOT NULL CHECK (lower(username) = handle),
  user_id           text NOT NULL DEFAULT '' CHECK (length(user_id) <= 50),
  name              text NOT NULL DEFAULT '' CHECK (length(name) <= 200),
  profile_image_url text NOT NULL DEFAULT '' CHECK (length(profile_image_url) <= 500),
  followers_count   integer NOT NULL DEFAULT 0 CHECK (followers_count >= 0),
  verified_type     text NOT NULL DEFAULT 'none' CHECK (verified_type IN ('blue', 'business', 'government', 'none')),
  is_public         boolean NOT NULL DEFAULT true,
  PRIMARY KEY (starboard_id, handle)
);

-- linked_order decides which address of a user is the main one (the lowest).
CREATE TABLE starboard_links (
  starboard_id text COLLATE "C" NOT NULL REFERENCES starboards,
  evm_address  text COLLATE "C" NOT NULL CHECK (evm_address ~ '^0x[0-9a-f]{40}$'),
  handle       text COLLATE "C" NOT NULL,
  linked_order bigint NOT NULL,
  PRIMARY KEY (starboard_id, evm_address),
  FOREIGN KEY (starboard_id, handle) REFERENCES starboard_users
);
CREATE INDEX starboard_links_by_handle ON starboard_links (starboard_id, handle, linked_order);

CREATE TABLE score_samples (
  starboard_id text COLLATE "C" NOT NULL,
  handle       text COLLATE "C" NOT NULL,
  sampled_at   timestamptz NOT NULL,
  score        numeric(20, 6) NOT NULL CHECK (score >= 0),
  individual   integer NOT NULL DEFAULT 0,
  aura         integer NOT NULL DEFAULT 0,
  PRIMARY KEY (starboard_id, handle, sampled_at),
  FOREIGN KEY (starboard_id, handle) REFERENCES starboard_users
);
CREATE INDEX score_samples_by_time ON score_samples (starboard_id, sampled_at);

-- A ranking is published whole under a version; the newest row of a starboard is the current one.
CREATE TABLE starboard_rankings (
  starboard_id   text COLLATE "C" NOT NULL REFERENCES starboards,
  version        bigint NOT NULL CHECK (version > 0),
  ranked_at      timestamptz NOT NULL,
  newest_sample  timestamptz,
  user_count     integer NOT NULL CHECK (user_count >= 0),
  PRIMARY KEY (starboard_id, version)
);

-- One user in one ranking, with every figure that a page shows. A change of a period is NULL
-- when the user had no score at its beginning.
CREATE TABLE starboard_ranks (
  starboard_id      text COLLATE "C" NOT NULL,
  version           bigint NOT NULL,
  position          integer NOT NULL CHECK (position > 0),
  handle            text COLLATE "C" NOT NULL,
  rank              integer NOT NULL CHECK (rank > 0),
  score             numeric(20, 6) NOT NULL,
  previous_rank     integer,
  previous_score    numeric(20, 6),
  score_24h         numeric(20, 6),
  score_7d          numeric(20, 6),
  score_30d         numeric(20, 6),
  individual        integer NOT NULL,
  aura              integer NOT NULL,
  PRIMARY KEY (starboard_id, version, position),
  FOREIGN KEY (starboard_id, version) REFERENCES starboard_rankings ON DELETE CASCADE
);
CREATE UNIQUE INDEX starboard_ranks_by_handle ON starboard_ranks (starboard_id, version, handle);

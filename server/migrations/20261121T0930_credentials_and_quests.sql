-- Credentials with their holder lists, and the quests that ask for them.

CREATE TABLE credentials (
  credential_id    bigint PRIMARY KEY CHECK (credential_id >= 0),
  name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
  description      text NOT NULL DEFAULT '' CHECK (length(description) <= 10000),
  cred_type        text NOT NULL CHECK (cred_type IN ('TWITTER', 'DISCORD', 'EVM_ADDRESS', 'SOLANA_ADDRESS', 'GITHUB', 'EMAIL')),
  cred_source      text NOT NULL CHECK (cred_source IN (
    'TWITTER_FOLLOW', 'DISCORD_MEMBER', 'CONTRACT_NFT_HOLDER', 'WALLET_BALANCE', 'QUIZ', 'API',
    'VISIT_LINK', 'CSV', 'REST', 'GRAPHQL', 'SUBGRAPH', 'SNAPSHOT_ORG', 'GITHUB_CONTRIBUTOR', 'SURVEY',
    'TWITTER_RT', 'TWITTER_LIKE', 'GOOGLE_SHEET')),
  chain            text CHECK (length(chain) <= 50),
  reference_link   text NOT NULL DEFAULT '' CHECK (length(reference_link) <= 2000),
  curator_space_id integer REFERENCES spaces,
  sync_status      text NOT NULL DEFAULT 'SYNCED' CHECK (sync_status IN ('SYNCED', 'SYNCING')),
  last_update      timestamptz NOT NULL,
  last_sync        timestamptz NOT NULL,
  -- The generation of the holder list that answers; a replacement fills the next one, then moves this.
  generation       integer NOT NULL DEFAULT 1 CHECK (generation > 0),
  item_count       integer NOT NULL DEFAULT 0 CHECK (item_count >= 0),
  owner_account_id uuid REFERENCES accounts
);

CREATE TABLE credential_holders (
  credential_id bigint NOT NULL,
  generation    integer NOT NULL,
  address       text COLLATE "C" NOT NULL CHECK (length(address) BETWEEN 1 AND 320),
  PRIMARY KEY (credential_id, generation, address)
);

CREATE TABLE quests (
  quest_id           text COLLATE "C" PRIMARY KEY CHECK (quest_id ~ '^[A-Za-z0-9_-]{1,100}$'),
  space_id           integer NOT NULL REFERENCES spaces,
  name               text NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
  description        text NOT NULL DEFAULT '' CHECK (length(description) <= 20000),
  type               text NOT NULL CHECK (type IN ('Drop', 'MysteryBox', 'Airdrop', 'Points', 'ExternalLink', 'Bounty')),
  status             text NOT NULL CHECK (status IN ('Draft', 'Active', 'NotStarted', 'Expired', 'CapReached', 'Deleted')),
  -- true: the service moves the status by clock and cap; false: it keeps what it was told.
  auto_status        boolean NOT NULL,
  start_time         timestamptz,
  end_time           timestamptz,
  cap                integer NOT NULL DEFAULT 0 CHECK (cap >= 0),
  participants_count integer NOT NULL DEFAULT 0 CHECK (participants_count >= 0),
  loyalty_points     integer NOT NULL DEFAULT 0 CHECK (loyalty_points >= 0),
  gas_type           text NOT NULL DEFAULT 'Gasless' CHECK (gas_type IN ('Gas', 'Gasless')),
  chain              text CHECK (length(chain) <= 50),
  is_private         boolean NOT NULL DEFAULT false,
  created_at         timestamptz NOT NULL,
  -- When the service has to look at the status again; NULL when no clock moves it.
  next_transition_at timestamptz,
  CHECK (end_time IS NULL OR start_time IS NULL OR end_time >= start_time)
);
CREATE INDEX quests_due ON quests (next_transition_at) WHERE next_transition_at IS NOT NULL;

CREATE TABLE quest_credential_groups (
  quest_id           text COLLATE "C" NOT NULL REFERENCES quests,
  group_id           text COLLATE "C" NOT NULL CHECK (length(group_id) BETWEEN 1 AND 100),
  position           integer NOT NULL,
  name               text NOT NULL DEFAULT '' CHECK (length(name) <= 500),
  condition_relation text NOT NULL CHECK (condition_relation IN ('ALL', 'ANY')),
  PRIMARY KEY (quest_id, group_id)
);

CREATE TABLE quest_conditions (
  quest_id      text COLLATE "C" NOT NULL,
  group_id      text COLLATE "C" NOT NULL,
  position      integer NOT NULL,
  expression    text NOT NULL CHECK (length(expression) BETWEEN 1 AND 2000),
  credential_id bigint NOT NULL REFERENCES credentials,
  PRIMARY KEY (quest_id, group_id, position),
  FOREIGN KEY (quest_id, group_id) REFERENCES quest_credential_groups ON DELETE CASCADE
);

CREATE TABLE quest_rewards (
  quest_id     text COLLATE "C" NOT NULL,
  group_id     text COLLATE "C" NOT NULL,
  position     integer NOT NULL,
  expression   text NOT NULL DEFAULT '' CHECK (length(expression) <= 2000),
  reward_type  text NOT NULL CHECK (reward_type IN (
    'NFT', 'TOKEN', 'DISCORDROLE', 'LOYALTYPOINTS', 'OAT', 'CUSTOM', 'LOYALTYPOINTSMYSTERYBOX', 'MINTLIST')),
  reward_count integer NOT NULL CHECK (reward_count >= 0),
  PRIMARY KEY (quest_id, group_id, position),
  FOREIGN KEY (quest_id, group_id) REFERENCES quest_credential_groups ON DELETE CASCADE
);

CREATE TABLE quest_participants (
  quest_id  text COLLATE "C" NOT NULL REFERENCES quests,
  address   text COLLATE "C" NOT NULL CHECK (length(address) BETWEEN 1 AND 320),
  joined_at timestamptz NOT NULL,
  PRIMARY KEY (quest_id, address)
);

CREATE TABLE quest_transitions (
  quest_id    text COLLATE "C" NOT NULL REFERENCES quests,
  at          timestamptz NOT NULL, -- when it fell due, not when it was noticed
  from_status text NOT NULL,
  to_status   text NOT NULL,
  reason      text NOT NULL CHECK (reason IN ('start', 'end', 'cap', 'published', 'told')),
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (quest_id, at, to_status)
);

-- What the list of quests shows and filters by, alive for the versions born <= v < died of the one
-- catalogue; a reader who pages sees the list as of the first page.
CREATE TABLE quest_catalogue (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version  bigint NOT NULL
);
INSERT INTO quest_catalogue (version) VALUES (0);

CREATE TABLE quest_listings (
  quest_id   text COLLATE "C" NOT NULL REFERENCES quests,
  born       bigint NOT NULL,
  died       bigint NOT NULL DEFAULT 9223372036854775807,
  died_at    timestamptz,
  space_id   integer NOT NULL,
  type       text NOT NULL,
  status     text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (quest_id, died),
  CHECK (born < died)
);
CREATE INDEX quest_listings_newest ON quest_listings (created_at DESC, quest_id) INCLUDE (born, died, space_id, type, status);
CREATE INDEX quest_listings_by_space ON quest_listings (space_id, created_at DESC, quest_id) INCLUDE (born, died, type, status);

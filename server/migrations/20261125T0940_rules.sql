-- Rules give points for claims, awards, holders and days (docs/rules.md).

-- The versions of the rules of a space, never edited.
CREATE TABLE rule_sets (
  space_id   integer NOT NULL,
  version    integer NOT NULL CHECK (version > 0),
  rules      jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  created_by uuid, -- an account; null: a command
  PRIMARY KEY (space_id, version)
);

-- The current version, and the events that its rules need. A space without a row never had rules.
CREATE TABLE space_rules (
  space_id   integer PRIMARY KEY,
  version    integer NOT NULL,
  on_awards  boolean NOT NULL,
  on_claims  boolean NOT NULL,
  on_ticks   boolean NOT NULL, -- days and holders
  first_at   timestamptz NOT NULL, -- of version 1
  replays    integer NOT NULL DEFAULT 0
);

-- Events that the rules have not counted yet, written in the transaction of the event.
CREATE TABLE rule_events (
  space_id    integer NOT NULL,
  ref         text COLLATE "C" NOT NULL, -- of an award: version and position of its ledger entry; of a claim: claim_id
  kind        text NOT NULL CHECK (kind IN ('award', 'claim')),
  address     text COLLATE "C" NOT NULL,
  points      integer NOT NULL,
  quest_id    text COLLATE "C", -- of a claim
  happened_at timestamptz NOT NULL,
  PRIMARY KEY (space_id, ref)
);
CREATE INDEX rule_events_by_time ON rule_events (space_id, happened_at, ref);
CREATE INDEX rule_events_by_address ON rule_events (space_id, address);

-- Of a claim, in the keys of ledger entries. Claims from before get one when they are replayed.
ALTER TABLE quest_claims ADD COLUMN claim_id uuid;

-- What a rule remembers about a member: points of the last periods of its cap, and the last runs of days of a streak.
CREATE TABLE rule_states (
  space_id integer NOT NULL,
  rule_id  text COLLATE "C" NOT NULL,
  address  text COLLATE "C" NOT NULL,
  caps     integer[] NOT NULL DEFAULT '{}', -- pairs: first day of the period, points
  runs     integer[] NOT NULL DEFAULT '{}', -- pairs: first and last day
  PRIMARY KEY (space_id, rule_id, address)
);
CREATE INDEX rule_states_by_address ON rule_states (space_id, address);

-- Progress of rules that run at a time: the day of a daily rule, or the update of a list.
CREATE TABLE rule_runs (
  space_id     integer NOT NULL,
  rule_id      text COLLATE "C" NOT NULL,
  started_for  text NOT NULL, -- the day, or the time of the list's last update
  last_address text COLLATE "C" NOT NULL, -- members up to here are done
  given        integer NOT NULL DEFAULT 0,
  done         boolean NOT NULL,
  silent       boolean NOT NULL DEFAULT false, -- the first run of a rule about new holders gives nothing
  PRIMARY KEY (space_id, rule_id)
);

-- The holders that a rule has seen, so that each counts once.
CREATE TABLE rule_holders (
  credential_id bigint NOT NULL,
  space_id      integer NOT NULL,
  rule_id       text COLLATE "C" NOT NULL,
  address       text COLLATE "C" NOT NULL,
  PRIMARY KEY (credential_id, space_id, rule_id, address)
);
CREATE INDEX rule_holders_by_address ON rule_holders (credential_id, address);

-- The member that brought another member, recorded once before the first claim of the other.
CREATE TABLE referrals (
  space_id    integer NOT NULL,
  address     text COLLATE "C" NOT NULL CHECK (length(address) BETWEEN 1 AND 90),
  referrer    text COLLATE "C" NOT NULL CHECK (length(referrer) BETWEEN 1 AND 90),
  recorded_at timestamptz NOT NULL,
  first_claim uuid, -- the first claim that the rules have counted
  PRIMARY KEY (space_id, address),
  CHECK (address <> referrer)
);
CREATE INDEX referrals_by_referrer ON referrals (space_id, referrer);

-- Completed quests. A participant that was imported has no row.
CREATE TABLE quest_claims (
  quest_id   text COLLATE "C" NOT NULL REFERENCES quests,
  address    text COLLATE "C" NOT NULL CHECK (length(address) BETWEEN 1 AND 90),
  account_id uuid, -- the account of the address at the time of the claim, if any
  key        text COLLATE "C" CHECK (length(key) BETWEEN 1 AND 400), -- with the caller as a prefix
  points     integer NOT NULL CHECK (points >= 0),
  sprint_id  integer NOT NULL CHECK (sprint_id >= 0), -- 0: the overall board alone
  claimed_at timestamptz NOT NULL,
  PRIMARY KEY (quest_id, address)
);
CREATE UNIQUE INDEX quest_claims_by_key ON quest_claims (quest_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX quest_claims_by_account ON quest_claims (quest_id, account_id) WHERE account_id IS NOT NULL;
CREATE INDEX quest_claims_of_account ON quest_claims (account_id, claimed_at) WHERE account_id IS NOT NULL;

-- Holder lists that do not answer: one that a replacement fills, or one that a replacement left behind.
-- A list that is filled is touched from time to time; one that nobody touches any more was abandoned.
CREATE TABLE credential_generations (
  credential_id      bigint NOT NULL REFERENCES credentials,
  generation         integer NOT NULL CHECK (generation > 0),
  state              text NOT NULL CHECK (state IN ('filling', 'dead')),
  sync_status_before text NOT NULL CHECK (sync_status_before IN ('SYNCED', 'SYNCING')),
  touched_at         timestamptz NOT NULL,
  PRIMARY KEY (credential_id, generation)
);

CREATE INDEX quest_listings_dead ON quest_listings (died_at) WHERE died_at IS NOT NULL;

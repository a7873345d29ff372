-- What tells a refresh that a starboard has to be ranked again.

-- Raised in the transaction that changes the starboard's samples, so that samples which arrive late are noticed too.
CREATE TABLE starboard_changes (
  starboard_id text COLLATE "C" PRIMARY KEY REFERENCES starboards,
  samples      bigint NOT NULL CHECK (samples > 0)
);

-- The last look at a starboard, whether or not it led to a new ranking; locked by whoever refreshes.
CREATE TABLE starboard_refreshes (
  starboard_id text COLLATE "C" PRIMARY KEY REFERENCES starboards,
  samples      bigint NOT NULL DEFAULT 0, -- of starboard_changes, as the look saw it
  checked_at   timestamptz                -- NULL before the first look
);

-- A ranking is written by one statement together with its row in starboard_rankings; a check of every row
-- would cost as much as the rest of a refresh. Past rankings are deleted rows first, so none is left behind.
ALTER TABLE starboard_ranks DROP CONSTRAINT starboard_ranks_starboard_id_version_fkey;

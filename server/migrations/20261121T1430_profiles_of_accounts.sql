-- What an account shows of itself where its linked addresses stand. No row: nothing was chosen, and nothing is shown.
CREATE TABLE account_profiles (
  account_id uuid PRIMARY KEY,
  avatar     text NOT NULL CHECK (length(avatar) <= 500),
  is_public  boolean NOT NULL
);

-- What the owner of an address shows goes before what was imported.
ALTER TABLE profiles
  ADD COLUMN own_username text CHECK (length(own_username) BETWEEN 1 AND 100),
  ADD COLUMN own_avatar   text CHECK (length(own_avatar) <= 500),
  ADD CHECK ((own_username IS NULL) = (own_avatar IS NULL));

-- Addresses whose owner, or whose owner's profile, changed: written with the change itself, removed when every board is
-- known to show it. barrier: a transaction id; what runs from then on sees the change (ranking/profile-changes.ts).
CREATE TABLE profile_changes (
  address text COLLATE "C" PRIMARY KEY CHECK (length(address) BETWEEN 1 AND 90),
  barrier bigint
);

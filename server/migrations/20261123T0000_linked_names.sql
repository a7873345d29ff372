-- Whether an identity counts when another identity of its account is asked about.
ALTER TABLE identities ADD COLUMN use_for_eligibility boolean NOT NULL DEFAULT true;

-- The names of these identities in holder lists: addresses in each spelling, mail addresses, ids and handles.
CREATE TABLE linked_names (
  name       text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  kind       text NOT NULL, -- EVMAddress for each name of that form, whatever the identity's own kind
  account_id uuid NOT NULL,
  PRIMARY KEY (name, kind)
);
CREATE INDEX linked_names_by_account ON linked_names (account_id, kind) INCLUDE (name);

-- The account that proved a name last gets it. Handles with other characters follow at their next sign-in.
INSERT INTO linked_names (name, kind, account_id)
SELECT DISTINCT ON (name, kind) name, kind, account_id
FROM (
  SELECT subject COLLATE "C" AS name,
         CASE WHEN kind LIKE '%Address' AND subject ~ '^0x[0-9a-f]{40}$' THEN 'EVMAddress' ELSE kind END AS kind,
         account_id, coalesce(last_signed_in_at, linked_at) AS proved_at
  FROM identities
  WHERE bound_chain_id IS NULL AND (kind LIKE '%Address' OR kind IN ('Email', 'Twitter', 'Discord', 'Github'))
  UNION ALL
  SELECT alias COLLATE "C", CASE WHEN alias ~ '^0x[0-9a-f]{40}$' THEN 'EVMAddress' ELSE kind END,
         account_id, timestamptz '-infinity'
  FROM identity_aliases
  UNION ALL
  SELECT lower(username) COLLATE "C", kind, account_id, coalesce(last_signed_in_at, linked_at)
  FROM identities
  WHERE kind IN ('Twitter', 'Discord', 'Github') AND username ~ '^[A-Za-z0-9_.#-]+$' AND username !~ '^[0-9]+$'
) AS names
ORDER BY name, kind, proved_at DESC;

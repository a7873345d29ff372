-- One username, one account, whatever the case of its letters: apps show it as who somebody is. By username, as
-- identity_subjects is by subject, so that the table can be distributed.
CREATE TABLE usernames (
  username   text PRIMARY KEY, -- in lower case; accounts.name has the spelling
  account_id uuid NOT NULL
);
CREATE INDEX usernames_by_account ON usernames (account_id);

-- Of accounts with one name the oldest keeps it.
UPDATE accounts a SET name = left(a.name, 60) || '-' || left(a.account_id::text, 8)
WHERE EXISTS (
  SELECT FROM accounts b
  WHERE lower(b.name) = lower(a.name) AND (b.created_at, b.account_id) < (a.created_at, a.account_id)
);
INSERT INTO usernames SELECT lower(name), account_id FROM accounts ON CONFLICT DO NOTHING;

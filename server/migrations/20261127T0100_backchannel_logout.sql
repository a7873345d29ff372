-- OpenID Connect Back-Channel Logout 1.0: apps learn that a session has ended in which they received an id_token.
ALTER TABLE apps ADD COLUMN backchannel_logout_uri text;
-- What the owner of an approved app wants and the operator has not decided about; NULL: nothing is waiting.
ALTER TABLE apps ADD COLUMN proposed_backchannel_logout_uri text;
ALTER TABLE authorization_codes ADD COLUMN session_id uuid;

-- The apps that a session has signed in to, and that want to be told when it ends.
CREATE TABLE session_apps (
  session_id uuid NOT NULL,
  client_id  text NOT NULL,
  PRIMARY KEY (session_id, client_id)
);
CREATE INDEX session_apps_by_app ON session_apps (client_id);

-- Apps that are to be told. A row is deleted once its app knows, or after the last attempt.
CREATE TABLE logout_notices (
  notice_id       uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  client_id       text NOT NULL,
  account_id      uuid, -- NULL: the account was deleted
  sid             text NOT NULL,
  tries           int NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT 'epoch', -- at once
  lease           uuid
);
CREATE INDEX logout_notices_by_due ON logout_notices (client_id, next_attempt_at);
CREATE INDEX logout_notices_by_account ON logout_notices (account_id);

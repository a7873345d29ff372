-- An owner pages through the users of an app, the newest consent first. The hash keeps the account's id out of cursors.
CREATE INDEX consents_by_app ON consents (client_id, granted_at DESC, md5(account_id::text) DESC);

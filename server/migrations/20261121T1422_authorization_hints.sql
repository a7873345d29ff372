-- Whom the app expects (OpenID Connect Core 3.1.2.1, id_token_hint): nobody else may answer the request.
ALTER TABLE authorizations ADD COLUMN hinted_account_id uuid;

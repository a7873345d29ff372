-- The resource for which the app requested a token (RFC 8707); null for the endpoints of the user's data.
ALTER TABLE authorizations ADD COLUMN resource text;
ALTER TABLE authorization_codes ADD COLUMN resource text;
ALTER TABLE grants ADD COLUMN resource text;

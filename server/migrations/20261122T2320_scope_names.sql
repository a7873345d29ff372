-- The scope names as the app wrote them, when they differ from ours: RFC 6749 5.1 compares the answer with the request.
ALTER TABLE authorizations ADD COLUMN scope_names text[];
ALTER TABLE authorization_codes ADD COLUMN scope_names text[];
ALTER TABLE grants ADD COLUMN scope_names text[];

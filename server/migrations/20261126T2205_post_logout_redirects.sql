-- The pages of an app to which users return after they have signed out here (OpenID Connect RP-Initiated Logout 1.0).
ALTER TABLE apps ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}';
ALTER TABLE apps ADD CONSTRAINT apps_post_logout_redirect_uris CHECK (cardinality(post_logout_redirect_uris) <= 20);

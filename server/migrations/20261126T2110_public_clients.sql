-- Apps without a server have no secret, so that each of their sign-ins needs PKCE with S256.
ALTER TABLE apps ADD COLUMN public_client boolean NOT NULL DEFAULT false;
ALTER TABLE apps ADD CONSTRAINT apps_public_client CHECK (NOT public_client OR (s256_only AND expiring_tokens));

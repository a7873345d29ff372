-- The attempts at the quiz of a credential by each identity that the account had then. They outlive the account until
-- the period ends, so the identity is an HMAC.
CREATE TABLE quiz_identity_attempts (
  credential_id  bigint NOT NULL,
  identity       text COLLATE "C" NOT NULL,
  period_started timestamptz NOT NULL,
  period_ends    timestamptz NOT NULL,
  used           integer NOT NULL CHECK (used > 0),
  PRIMARY KEY (credential_id, identity)
);
CREATE INDEX quiz_identity_attempts_by_end ON quiz_identity_attempts (period_ends);

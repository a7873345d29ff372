-- The attempts of an account at the quiz of a credential, in the present period. A row without a passed quiz only counts.
CREATE TABLE quiz_attempts (
  credential_id  bigint NOT NULL,
  account_id     uuid NOT NULL,
  period_started timestamptz NOT NULL,
  used           integer NOT NULL CHECK (used > 0),
  passed_at      timestamptz,
  PRIMARY KEY (credential_id, account_id)
);
CREATE INDEX quiz_attempts_by_account ON quiz_attempts (account_id);

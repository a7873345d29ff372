-- One-time links that make an account an operator. A link that the service printed at its start (`for_first`) is valid
-- only while there is no operator.
CREATE TABLE operator_invitations (
  code_hash bytea PRIMARY KEY,
  for_first boolean NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

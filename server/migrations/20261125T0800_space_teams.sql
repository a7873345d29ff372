-- Team members of spaces. The owner is spaces.owner_account_id and has no row here.
CREATE TABLE space_members (
  space_id   integer NOT NULL REFERENCES spaces,
  account_id uuid NOT NULL,
  role       text NOT NULL CHECK (role IN ('admin', 'editor', 'viewer')),
  added_at   timestamptz NOT NULL,
  PRIMARY KEY (space_id, account_id)
);
CREATE INDEX space_members_by_account ON space_members (account_id);

-- One-time links into the team of a space.
CREATE TABLE space_invitations (
  code_hash     bytea PRIMARY KEY,
  invitation_id uuid NOT NULL,
  space_id      integer NOT NULL REFERENCES spaces,
  role          text NOT NULL CHECK (role IN ('admin', 'editor', 'viewer')),
  invited_by    uuid NOT NULL,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL
);
CREATE INDEX space_invitations_by_space ON space_invitations (space_id);

-- Files that operators upload: checked and stored in the background (docs/pages.md).
CREATE TABLE imports (
  import_id     uuid PRIMARY KEY,
  account_id    uuid NOT NULL, -- the operator; remains after the account was deleted
  file_name     text NOT NULL,
  bytes         bigint NOT NULL DEFAULT 0,
  kind          text, -- chosen by the operator, or recognised
  credential_id bigint,
  replaces      boolean NOT NULL,
  state         text NOT NULL CHECK (state IN
    ('uploading', 'checking', 'checked', 'storing', 'stored', 'refused', 'failed', 'cancelled', 'expired')),
  preview       jsonb, -- the first rows
  progress      jsonb,
  lines         bigint,
  added         bigint,
  changed       bigint,
  removed       bigint,
  problems      jsonb,
  problem_count bigint,
  message       text,
  created_at    timestamptz NOT NULL,
  checked_at    timestamptz,
  applied_by    uuid, -- the operator who confirmed it
  network       text, -- of the confirmation, until the end
  ended_at      timestamptz,
  -- The process that works on it. The work of a process that is silent for too long is claimed again.
  runner        uuid,
  touched_at    timestamptz NOT NULL,
  attempts      integer NOT NULL DEFAULT 0,
  cancelling    boolean NOT NULL DEFAULT false,
  file_kept     boolean NOT NULL DEFAULT true,
  CHECK ((state IN ('uploading', 'checking', 'checked', 'storing')) = (ended_at IS NULL))
);
CREATE INDEX imports_by_time ON imports (created_at DESC, import_id DESC);

-- The bytes of the files, until their imports end.
CREATE TABLE import_chunks (
  import_id uuid NOT NULL,
  chunk     integer NOT NULL,
  bytes     bytea NOT NULL,
  PRIMARY KEY (import_id, chunk)
);

-- A replacement that was killed goes on where it was: which file it reads, how much of it is stored, and who goes on.
ALTER TABLE credential_generations
  ADD COLUMN source    bytea CHECK (length(source) = 32), -- SHA-256 of the file; NULL when it cannot be read again
  ADD COLUMN chunks    integer NOT NULL DEFAULT 0 CHECK (chunks >= 0),
  ADD COLUMN holders   integer NOT NULL DEFAULT 0 CHECK (holders >= 0),
  ADD COLUMN takeovers integer NOT NULL DEFAULT 0 CHECK (takeovers >= 0);

-- The attempts to build each requested snapshot. An attempt locks the row of `snapshots` until it ends, so its count is in another
-- row. Only running instances of earlier releases still use `snapshots.attempts`.
CREATE TABLE snapshot_attempts (
  snapshot_id uuid PRIMARY KEY,
  attempts    integer NOT NULL
);
INSERT INTO snapshot_attempts SELECT snapshot_id, attempts FROM snapshots WHERE state = 'waiting' AND attempts > 0;

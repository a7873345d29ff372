-- The largest id that was ever used, so that a generated id never names a deleted object.
CREATE TABLE id_counters (
  name    text PRIMARY KEY,
  last_id bigint NOT NULL CHECK (last_id >= 0)
);

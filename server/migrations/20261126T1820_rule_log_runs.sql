-- How far a rule has counted the logs of a credential (chain_logs).
CREATE TABLE rule_log_runs (
  space_id      integer NOT NULL,
  rule_id       text COLLATE "C" NOT NULL,
  credential_id bigint NOT NULL,
  list_began_at timestamptz, -- of the list that the position is about; null: there was none
  counts_from   timestamptz NOT NULL, -- logs of earlier blocks give no points
  position      integer NOT NULL, -- logs up to here are counted
  PRIMARY KEY (space_id, rule_id)
);

-- Changes of boards without an entry in the ledger: new names, bans and their ends, and the addresses of erased members,
-- which the ledger replaces. Kept as long as past entries.
CREATE TABLE other_board_changes (
  space_id  integer NOT NULL,
  version   bigint NOT NULL,  -- of the space, created by the change
  position  integer NOT NULL, -- order within the version
  sprint_id integer NOT NULL,
  address   text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, version, position)
);

-- A contract wallet is proved on one EVM chain only; elsewhere the same address may be another owner's.
ALTER TABLE identities ADD COLUMN bound_chain_id bigint CHECK (bound_chain_id > 0);

-- Other spellings of a linked key (sei1… of a 0x address): what boards and holder lists may call it.
CREATE TABLE identity_aliases (
  alias      text NOT NULL CHECK (length(alias) BETWEEN 1 AND 200),
  kind       text NOT NULL,
  account_id uuid NOT NULL,
  subject    text NOT NULL,
  PRIMARY KEY (alias, kind)
);
CREATE INDEX identity_aliases_by_account ON identity_aliases (account_id);

-- Digests of the entries of a space in a month that has ended, chained in the order of the months (docs/ledger.md).
CREATE TABLE ledger_seals (
  space_id  integer NOT NULL,
  month     date NOT NULL, -- its first day, in UTC
  entries   bigint NOT NULL,
  digest    bytea NOT NULL,
  sealed_at timestamptz NOT NULL,
  PRIMARY KEY (space_id, month)
);

-- A digest contains the hash of a member and of this salt. When a person is erased, the hash replaces the address in the
-- entries and the salt is deleted: digests still match, and the hash reveals no address.
CREATE TABLE ledger_salts (
  space_id integer NOT NULL,
  address  text COLLATE "C" NOT NULL,
  salt     bytea NOT NULL,
  PRIMARY KEY (space_id, address)
);

-- How many quests are listed now, by what a list filters on; space 0 stands for all spaces. Kept in step with
-- quest_listings under the lock of quest_catalogue, so that the total of a list costs a few rows, not a count of all.
CREATE TABLE quest_counts (
  space_id integer NOT NULL CHECK (space_id >= 0),
  type     text NOT NULL,
  status   text NOT NULL,
  listed   integer NOT NULL,
  PRIMARY KEY (space_id, type, status)
);
INSERT INTO quest_counts (space_id, type, status, listed)
SELECT coalesce(space_id, 0), type, status, count(*) FROM quest_listings WHERE died = 9223372036854775807
GROUP BY GROUPING SETS ((space_id, type, status), (type, status));

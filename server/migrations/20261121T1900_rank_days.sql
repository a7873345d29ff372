-- Where the first members of each board stood, once a UTC day: what the pages draw as a member's history.
CREATE TABLE rank_days (
  space_id  integer NOT NULL,
  sprint_id integer NOT NULL, -- 0: the overall board
  address   text COLLATE "C" NOT NULL,
  day       date NOT NULL,
  rank      integer NOT NULL CHECK (rank > 0),
  points    integer NOT NULL,
  PRIMARY KEY (space_id, sprint_id, address, day)
);
CREATE INDEX rank_days_by_age ON rank_days (day);

-- The last day on which a board was written down.
CREATE TABLE rank_day_boards (
  space_id  integer NOT NULL,
  sprint_id integer NOT NULL,
  day       date NOT NULL,
  PRIMARY KEY (space_id, sprint_id)
);

-- The number of members of each space at the start of a UTC day, for the movement of communities.
CREATE TABLE member_days (
  space_id integer NOT NULL,
  day      date NOT NULL,
  members  integer NOT NULL,
  PRIMARY KEY (space_id, day)
);
CREATE INDEX member_days_by_age ON member_days (day);

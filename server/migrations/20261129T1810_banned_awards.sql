-- The number of new awards of an import that are for banned members. Their points count when the ban ends.
ALTER TABLE imports ADD COLUMN banned integer;

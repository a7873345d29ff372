-- The number of awards of an import that change nothing because equal awards were taken back before.
ALTER TABLE imports ADD COLUMN taken_back integer;

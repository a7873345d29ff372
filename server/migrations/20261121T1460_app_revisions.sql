-- Counts an owner's changes of an app, so that what is approved is what the operator read.
ALTER TABLE apps ADD COLUMN revision integer NOT NULL DEFAULT 1;

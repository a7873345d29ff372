-- Plans that accounts may choose for their tokens themselves; the plan free always is one.
ALTER TABLE plans ADD COLUMN open boolean NOT NULL DEFAULT false;

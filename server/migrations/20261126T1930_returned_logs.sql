-- A log that the chain had lost and has again gets a new position, because rules may have passed the old one meanwhile.
-- Those that have counted it before do not count it again.
ALTER TABLE chain_logs ADD COLUMN returned boolean NOT NULL DEFAULT false;

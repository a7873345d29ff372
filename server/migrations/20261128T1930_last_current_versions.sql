-- The last time at which a preview found the version current; NULL: none after recorded_at.
ALTER TABLE space_version_times ADD COLUMN last_current_at timestamptz;

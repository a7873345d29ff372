-- When a listed quest that has not started starts, to the millisecond, because it is a place in a list. Null for other statuses.
ALTER TABLE quest_listings ADD COLUMN starts_at timestamptz;

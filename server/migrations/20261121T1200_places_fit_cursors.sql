-- A place in a list has to fit a cursor, exactly: at most 200 characters, times to the millisecond.
ALTER TABLE board_entries ADD CHECK (octet_length(address) <= 90);
ALTER TABLE quests ADD CHECK (extract(microseconds FROM created_at)::int % 1000 = 0);
ALTER TABLE quest_listings ADD CHECK (extract(microseconds FROM created_at)::int % 1000 = 0);

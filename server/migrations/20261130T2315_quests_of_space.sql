-- The quests of a space: pages count them, and rules, mirrors and the deletion of a space read them.
CREATE INDEX quests_of_space ON quests (space_id);

-- The quests that have not started, by their start; those without a start are last.
CREATE INDEX quest_listings_by_start ON quest_listings ((coalesce(starts_at, 'infinity')), quest_id)
  INCLUDE (born, died, space_id, type) WHERE status = 'NotStarted';
UPDATE quest_listings l SET starts_at = date_bin('1 millisecond', q.start_time, 'epoch')
FROM quests q
WHERE q.quest_id = l.quest_id AND l.status = 'NotStarted' AND l.died = 9223372036854775807;

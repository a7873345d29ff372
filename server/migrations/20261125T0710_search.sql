-- Words of names, for the search of the pages. The expression is the one of search/words.ts.
CREATE INDEX spaces_by_words ON spaces
  USING gin (to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g')));
CREATE INDEX starboards_by_words ON starboards
  USING gin (to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g')));
CREATE INDEX credentials_by_words ON credentials
  USING gin (to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g')));
CREATE INDEX quests_by_words ON quests
  USING gin (to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g')));

-- Members by the beginning of the name that boards show. Imports that carry names wait while it is built: some
-- seconds for each million names.
CREATE INDEX profiles_by_name ON profiles ((lower(coalesce(own_username, username)) COLLATE "C"))
  WHERE coalesce(own_username, username) IS NOT NULL;

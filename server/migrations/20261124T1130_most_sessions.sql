-- An account has at most 100 sessions: of those that have more, the ones that were used last stay.
DELETE FROM sessions s USING (
  SELECT session_hash, row_number() OVER (PARTITION BY account_id ORDER BY last_seen_at DESC, session_hash) AS place
  FROM sessions
) ranked
WHERE ranked.session_hash = s.session_hash AND ranked.place > 100;

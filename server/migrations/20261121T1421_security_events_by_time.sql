-- Operators read the newest events of all accounts.
CREATE INDEX security_events_by_time ON security_events (happened_at DESC, event_id DESC);

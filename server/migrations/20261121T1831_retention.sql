-- Old usage figures are deleted by day.
CREATE INDEX token_usage_by_day ON token_usage (day);

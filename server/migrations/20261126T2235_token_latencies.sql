-- The number of requests by duration. Element n counts requests in range n of access/latency.ts. Null: before this column.
ALTER TABLE token_usage ADD COLUMN latencies bigint[];

-- Adds two lists element by element; a missing element counts as 0.
CREATE FUNCTION add_counts(a bigint[], b bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(coalesce(x, 0) + coalesce(y, 0) ORDER BY n) FROM unnest(a, b) WITH ORDINALITY AS t (x, y, n)
$$;

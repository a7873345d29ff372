-- The last requests of each token, for its owner. Rows have no variables, documents or addresses.
CREATE TABLE token_requests (
  token_id uuid NOT NULL,
  at timestamptz NOT NULL,
  request_id text NOT NULL,
  operation text NOT NULL,
  status smallint NOT NULL,
  milliseconds double precision NOT NULL,
  code text,
  PRIMARY KEY (token_id, at, request_id)
);

CREATE INDEX token_requests_by_time ON token_requests (at);

-- Whether an operator made the endpoint: limits for accounts do not hold for it.
ALTER TABLE webhook_endpoints ADD COLUMN by_operator boolean NOT NULL DEFAULT false;

-- The networks of webhooks that are older than the column, from the audit log.
UPDATE webhook_endpoints w SET network = e.address
FROM security_events e
WHERE w.network = '' AND e.event = 'webhook.created' AND e.address <> ''
  AND e.details ->> 'webhook' = w.endpoint_id::text;

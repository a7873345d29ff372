import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Pool } from 'pg'

interface Row {
  payload: AdapterPayload
  consumed_at: Date | null
}

/** What oidc-provider's documentation asks of a store: one row a model instance, found by id, uid, user code and grant. */
export const ADAPTER_SCHEMA = `
  CREATE TABLE oidc_payloads (
    type text NOT NULL, id text NOT NULL, payload jsonb NOT NULL, grant_id text, user_code text, uid text,
    expires_at timestamptz, consumed_at timestamptz, PRIMARY KEY (type, id)
  );
  CREATE INDEX ON oidc_payloads (grant_id);
  CREATE INDEX ON oidc_payloads (uid);
  CREATE INDEX ON oidc_payloads (user_code)`

/** The adapter for PostgreSQL, with every statement prepared. */
export function pgAdapter(pool: Pool): (name: string) => Adapter {
  const run = async (name: string, text: string, values: unknown[]) =>
    (await pool.query<Row>({ name: `oidc.${name}`, text, values })).rows
  const found = ([row]: Row[]) =>
    row && { ...row.payload, ...(row.consumed_at && { consumed: Math.floor(row.consumed_at.getTime() / 1000) }) }
  return (type) => ({
    async upsert(id, payload, expiresIn) {
      await run(
        'upsert',
        `INSERT INTO oidc_payloads (type, id, payload, grant_id, user_code, uid, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
         ON CONFLICT (type, id) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at`,
        [type, id, payload, payload.grantId, payload.userCode, payload.uid, expiresIn],
      )
    },
    find: async (id) =>
      found(
        await run('find', 'SELECT payload, consumed_at FROM oidc_payloads WHERE type = $1 AND id = $2', [type, id]),
      ),
    findByUid: async (uid) =>
      found(
        await run('uid', 'SELECT payload, consumed_at FROM oidc_payloads WHERE type = $1 AND uid = $2', [type, uid]),
      ),
    findByUserCode: async (code) =>
      found(
        await run('user-code', 'SELECT payload, consumed_at FROM oidc_payloads WHERE type = $1 AND user_code = $2', [
          type,
          code,
        ]),
      ),
    async consume(id) {
      await run('consume', 'UPDATE oidc_payloads SET consumed_at = now() WHERE type = $1 AND id = $2', [type, id])
    },
    async destroy(id) {
      await run('destroy', 'DELETE FROM oidc_payloads WHERE type = $1 AND id = $2', [type, id])
    },
    async revokeByGrantId(grantId) {
      await run('revoke', 'DELETE FROM oidc_payloads WHERE grant_id = $1', [grantId])
    },
  })
}

import { expect, onTestFinished, test, vi } from 'vitest'
import { urlOf } from '../../command/questboard.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startProcess, temporaryDataDir } from '../../support/process.ts'

/** The connections of background work in one process. */
const CONNECTIONS = 10
const PATIENCE = { timeout: 30_000, interval: 100 }

test('a request does not wait for connections that background work uses', async () => {
  const { dataDir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const service = await startProcess(dataDir, { DATABASE_URL: urlOf(database.connection) })
  onTestFinished(async () => void (await service.interrupt()))
  const client = await database.pool.connect()
  onTestFinished(() => client.release(true))

  // The request below uses only the tables that stay free, through the same kind of connection.
  const lockAll = `DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^(apps|app_secrets|attempt_windows)$' LOOP
      EXECUTE format('LOCK TABLE %I NOWAIT', name);
    END LOOP;
  END $$`
  // NOWAIT, because waiting for one table while it holds others could be a deadlock with the background work.
  await vi.waitFor(async () => {
    await client.query('BEGIN')
    await client.query(lockAll).catch(async (error: unknown) => {
      await client.query('ROLLBACK')
      throw error
    })
  }, PATIENCE)
  await vi.waitFor(async () => {
    const { rows } = await client.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    expect(rows[0]?.waiting).toBe(CONNECTIONS)
  }, PATIENCE)

  const response = await fetch(`${service.url}/oauth/auth/2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id: 'x', client_secret: 'x', code: 'x' }),
  })
  expect([response.status, await response.json()]).toMatchObject([401, { error: 'invalid_client' }])
  await client.query('ROLLBACK')
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isCluster } from '../../support/database.ts'
import { syncFixture } from '../arrange.ts'

const MIGRATION = join(import.meta.dirname, '../../../migrations/20261124T1520_jobs_without_a_library.sql')

// Such installations are older than distributed tables, where this migration fails.
it.skipIf(isCluster())('keeps the queued runs of the former job library, and drops its schema', async () => {
  const { deps, credential, close } = await syncFixture()
  onTestFinished(close)
  const { database } = deps
  const source = { kind: 'REST', url: 'https://lists.example/', everySeconds: 86_400 }
  const [queued, retried, done] = [await credential(source), await credential(source), await credential(source)]
  await database.query(`UPDATE credential_sources SET next_run_at = '2026-11-25T00:00Z'`)
  await database.query(`
    CREATE SCHEMA jobs;
    CREATE TYPE jobs.job_state AS ENUM ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
    CREATE TABLE jobs.job (name text, data jsonb, state jobs.job_state, start_after timestamptz);
    INSERT INTO jobs.job VALUES
      ('credential-sync', '{"credentialId":"${queued}"}', 'created', '2026-11-24T01:00Z'),
      ('credential-sync', '{"credentialId":"${retried}"}', 'retry', '2026-11-24T02:00Z'),
      ('credential-sync', '{"credentialId":"${done}"}', 'completed', '2026-11-24T03:00Z'),
      ('another', NULL, 'created', '2026-11-24T04:00Z')`)
  const migrate = () => database.query(readFileSync(MIGRATION, 'utf8'))
  await migrate()
  await migrate()
  const rows = await database.query<{ at: Date }>(
    'SELECT next_run_at AS at FROM credential_sources ORDER BY credential_id',
  )
  expect(rows.map(({ at }) => at.toISOString().slice(0, 13))).toEqual([
    '2026-11-24T01',
    '2026-11-24T02',
    '2026-11-25T00',
  ])
  expect(await database.query(`SELECT to_regnamespace('jobs') AS schema`)).toEqual([{ schema: null }])
})

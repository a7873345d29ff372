import { afterAll, expect, test } from 'vitest'
import { runCrashes } from '../../../../bench/faults/crashes.ts'
import { temporaryDataDir } from '../../support/process.ts'

const { dataDir, remove } = await temporaryDataDir()
afterAll(remove)

test('keeps acknowledged writes exactly once after kill -9 of the service and PostgreSQL during awards and imports, and the ledger with them', async () => {
  const report = await runCrashes({ dataDir, serviceKills: 1, databaseKills: 2, members: 300, say: () => {} })
  expect(report).toMatchObject({ lost: 0, twice: 0, torn: 0, different: 0 })
  expect(report.acknowledged).toBeGreaterThan(0)
  expect(report.imports.done).toBeGreaterThan(0)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openConfiguredDatabase } from '../../src/database/open.ts'
import { statement } from '@questboard/pg-read-pipeline'
import { silentLog } from '../../src/logging/log.ts'
import { urlOf } from '../command/questboard.ts'
import { createTestDatabase } from '../support/database.ts'
import { flakyNetwork } from '../support/flaky-network.ts'

test('starts, migrates and shares the embedded server without DATABASE_URL, and stops it after the last use', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'questboard-open-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const config = { databaseUrl: undefined, dataDir, readConnections: 1 }
  const first = await openConfiguredDatabase(config, silentLog)
  const second = await openConfiguredDatabase(config, silentLog)
  expect(first.applied.length).toBeGreaterThan(0)
  expect(second.applied).toEqual([])
  await second.close()
  const { rows } = await first.database.pool.query('SELECT count(*) AS spaces FROM spaces')
  expect(rows).toEqual([{ spaces: 0 }])
  await first.close()
  await expect(new Client(first.connection).connect()).rejects.toThrow(/ENOENT|ECONNREFUSED/)
})

test('closes the database while the network is silent', async () => {
  const testDatabase = await createTestDatabase()
  const network = await flakyNetwork(testDatabase.connection)
  onTestFinished(async () => {
    await network.close()
    await testDatabase.drop()
  })
  const config = { databaseUrl: urlOf(network.connection), dataDir: '/nowhere', readConnections: 1 }
  const opened = await openConfiguredDatabase(config, silentLog)
  network.silence()
  // Without a time limit the test would wait until its own timeout.
  await opened.close()
})

test('uses DATABASE_URL and starts no embedded server', async () => {
  const testDatabase = await createTestDatabase()
  onTestFinished(() => testDatabase.drop())
  const { host, port, user, password } = inject('postgres')
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : ''
  const databaseUrl = `postgres://${user}${secret}@${encodeURIComponent(host ?? 'localhost')}:${port}/${testDatabase.connection.database}?application_name=mine&options=-c%20work_mem%3D5MB`
  const opened = await openConfiguredDatabase({ databaseUrl, dataDir: '/nowhere', readConnections: 1 }, silentLog)
  const { rows } = await opened.database.pool.query('SELECT current_database() AS name')
  expect(rows).toEqual([{ name: testDatabase.connection.database }])
  // The service sets the connection names to find lost connections. Other options of the URL still apply.
  const told = `SELECT current_setting('application_name') AS name, current_setting('work_mem') AS memory,
    current_setting('statement_timeout') AS timeout`
  const { rows: ofPool } = await opened.database.pool.query<{ name: string }>(told)
  expect(ofPool).toMatchObject([{ memory: '5MB', timeout: '0' }])
  const ofReader = await opened.database.read(statement<{ name: string }>('test.told', told), [])
  expect(ofReader).toMatchObject([{ memory: '5MB', timeout: '10s' }])
  for (const { name } of [...ofPool, ...ofReader]) expect(name).toMatch(/^questboard \w+ \d+$/)
  await opened.close()
})

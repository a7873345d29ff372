import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/connection.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createSingleProcess } from '../../src/process/single-process.ts'
import { startService, type TestService } from '../support/service.ts'

const config = loadConfig({ PORT: '0', HOST: '127.0.0.1' })
let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('counts the connections of requests and of background work separately', async () => {
  const { connection } = service.database
  const background = openDatabase({ connection, readConnections: 1, poolSize: 2, log: silentLog })
  const single = createSingleProcess(config)
  const port = await single.open({ ...service.deps, config, database: background }, connection)
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const clients = await Promise.all([background.pool.connect(), background.pool.connect()])
  const third = background.pool.connect()
  onTestFinished(async () => {
    for (const client of clients) client.release()
    ;(await third).release()
    await single.stop(0)
    await Promise.all([single.close(), background.close()])
  })
  const text = await metrics()
  expect(text).toMatch(/^questboard_database_connections\{pool="requests",state="idle"\} \d+$/m)
  expect(text).toContain('questboard_database_connections{pool="background",state="in_use"} 2\n')
  expect(text).toContain('questboard_database_connections{pool="background",state="idle"} 0\n')
  expect(text).toContain('questboard_database_waiting{pool="requests"} 0\n')
  expect(text).toContain('questboard_database_waiting{pool="background"} 1\n')
})

test('opens no connections after it was closed', async () => {
  const single = createSingleProcess(config)
  await single.close()
  await expect(single.open(service.deps, service.database.connection)).rejects.toThrow('the service stops')
})

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/connection.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createSingleProcess } from '../../src/process/single-process.ts'
import { createTestDatabase } from '../support/database.ts'
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
  const clients: PoolClient[] = []
  const waiting: Promise<void>[] = []
  onTestFinished(async () => {
    await single.stop(0)
    await single.close()
    for (const client of clients) client.release()
    await Promise.all(waiting)
    await background.close()
  })
  const port = await single.open({ ...service.deps, config, database: background }, connection)
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  clients.push(...(await Promise.all([background.pool.connect(), background.pool.connect()])))
  // It gets no connection if the response takes longer than the timeout of the pool; the expectations report that.
  waiting.push(
    background.pool.connect().then(
      (client) => client.release(),
      () => {},
    ),
  )
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

test('stops listening if it is closed when it begins to listen', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  await once(other.close(), 'close')
  let closing: Promise<void> | undefined
  const single = createSingleProcess({
    ...config,
    port,
    get host() {
      closing ??= single.close()
      return '127.0.0.1'
    },
  })
  await expect(single.open(service.deps, service.database.connection)).rejects.toThrow('the service stops')
  await closing
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed')
})

test('closes the connections for requests if it cannot listen', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port: usedPort } = other.address() as AddressInfo
  const replica = await createTestDatabase()
  onTestFinished(() => replica.drop())
  const { connection } = service.database
  const { user, password, host = 'localhost', port, database } = replica.connection
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : ''
  const readUrls = [`postgres://${user}${secret}@${encodeURIComponent(host)}:${port}/${database}`]
  const sessions = async () => {
    const text = 'SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = $1'
    return (await service.database.query<{ count: number }>(text, [database]))[0]?.count
  }

  const taken = { ...config, port: usedPort, readUrls }
  const single = createSingleProcess(taken)
  onTestFinished(() => single.close())
  await expect(single.open({ ...service.deps, config: taken }, connection)).rejects.toThrow('EADDRINUSE')
  await expect.poll(sessions).toBeGreaterThan(0)
  await single.close()
  await expect.poll(sessions).toBe(0)
})

import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { access, readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { greeting } from '../../src/process/greeting.ts'
import { urlOf } from '../command/questboard.ts'
import { ask } from '../support/ask.ts'
import { createTestDatabase } from '../support/database.ts'
import {
  isAlive,
  MAIN,
  processEnvironment,
  type ServiceProcess,
  startProcess,
  temporaryDataDir,
  workersOf,
} from '../support/process.ts'

const run = promisify(execFile)
const COMMAND = join(import.meta.dirname, '../../src/command/main.ts')
/** The response of a Questboard with other data to `/oauth/jwks`. */
const KEYS_OF_ANOTHER = '{"keys":[{"kid":"another"}]}'

/** A port at which another program responds with a text until the end of the test. */
async function usedPort(body: string): Promise<string> {
  const other = createServer((_, response) => response.end(body)).listen(0)
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  return String((other.address() as AddressInfo).port)
}

describe('the service as a process with workers', () => {
  let dataDir: string
  let remove: () => Promise<void>
  let service: ServiceProcess

  const questboard = (...args: string[]) =>
    run(process.execPath, [COMMAND, ...args], { env: processEnvironment(dataDir) })
  const spaceName = async (token = service.demoToken) => {
    const { data } = await ask<{ space: { name: string } | null }>(service.url, '{ space(id: 40) { name } }', { token })
    return data?.space?.name
  }

  beforeAll(async () => {
    ;({ dataDir, remove } = await temporaryDataDir())
    service = await startProcess(dataDir, { WORKERS: '2' })
  })
  afterAll(async () => {
    await service.interrupt()
    await remove()
  })

  test('prints a demo token and a query that returns data', async () => {
    const curl = /^curl [\s\S]*?'$/m.exec(greeting(service.url, service.demoToken))?.[0] ?? ''
    const { stdout } = await run('sh', ['-c', curl])
    expect(JSON.parse(stdout)).toMatchObject({ data: { space: { loyaltyPointsRanks: { totalCount: 5_500 } } } })
  })

  test('prints how to make the first operator, without a link', () => {
    expect(service.firstOperator).toMatch(/^`.+ operator invite` prints a link$/)
  })

  test('counts the connections of requests in the workers, and those of background work', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    const pools = [...text.matchAll(/^questboard_database_waiting\{pool="(\w+)"\} \d+$/gm)].map(([, pool]) => pool)
    expect(pools.toSorted()).toEqual(['background', 'requests'])
  })

  test('accepts a token that a command created while the service runs', async () => {
    const { stdout } = await questboard('token', 'create', '--name', 'beside')
    expect(await spaceName(stdout.trim())).toEqual(expect.any(String))
  })

  test('rejects the old value of a regenerated token immediately', async () => {
    const created = await questboard('token', 'create', '--name', 'turns')
    const id = /id ([0-9a-f-]{36})/.exec(created.stderr)?.[1] ?? ''
    const regenerated = await questboard('token', 'regenerate', id)
    expect(await spaceName(created.stdout.trim())).toBeUndefined()
    expect(await spaceName(regenerated.stdout.trim())).toEqual(expect.any(String))
  })

  test('loses nothing at kill -9, and starts again with the same data and demo token', async () => {
    const { demoToken } = service
    const { stdout } = await questboard('token', 'create', '--name', 'survives')
    const workers = await workersOf(service)
    await service.kill()
    if (process.platform === 'linux') expect(workers.length).toBeGreaterThan(0)
    await expect.poll(() => workers.some(isAlive)).toBe(false)
    service = await startProcess(dataDir, { WORKERS: '2' })
    expect(service.demoToken).toBe(demoToken)
    expect(await spaceName(stdout.trim())).toEqual(expect.any(String))
  })

  test('stops with the URL of the first service if a second one starts in the same folder', async () => {
    const { port } = new URL(service.url)
    await expect(startProcess(dataDir, { WORKERS: '2', PORT: port })).rejects.toThrow(
      `ended with 1: Questboard stopped: it is already running at http://localhost:${port} with the same data.`,
    )
  })

  test('stops with an error if another program uses the port', async () => {
    const port = await usedPort(KEYS_OF_ANOTHER)
    await expect(startProcess(dataDir, { PORT: port })).rejects.toThrow(
      `ended with 1: Questboard stopped: port ${port} is in use by another program. Set PORT to a free one.`,
    )
  })

  test.each([
    ['another program', 'not Questboard'],
    ['a Questboard with other data', KEYS_OF_ANOTHER],
  ])('creates no database if %s uses the port', async (_, body) => {
    const port = await usedPort(body)
    const { dataDir: unused, remove: removeUnused } = await temporaryDataDir()
    onTestFinished(removeUnused)
    await expect(startProcess(unused, { PORT: port })).rejects.toThrow(`port ${port} is in use`)
    expect(await readdir(unused)).toEqual([])
  })

  test('changes no schema if a Questboard with other data uses the port', async () => {
    const port = await usedPort(KEYS_OF_ANOTHER)
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    await database.query('DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)')
    const before = await database.query('SELECT name FROM schema_migrations')
    const settings = { PORT: port, DATABASE_URL: urlOf(database.connection) }
    await expect(startProcess(dataDir, settings)).rejects.toThrow(`port ${port} is in use`)
    expect(await database.query('SELECT name FROM schema_migrations')).toEqual(before)
  })

  test('loads no demo data into an existing database if a Questboard with other data uses the port', async () => {
    const port = await usedPort(KEYS_OF_ANOTHER)
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const settings = { PORT: port, DATABASE_URL: urlOf(database.connection) }
    await expect(startProcess(dataDir, settings)).rejects.toThrow(`port ${port} is in use`)
    expect(await database.query('SELECT space_id FROM spaces')).toEqual([])
  })

  test('stops with an error if the database is unreachable at the start, so that a supervisor restarts it', async () => {
    await expect(startProcess(dataDir, { DATABASE_URL: 'postgres://test@127.0.0.1:1/test' })).rejects.toThrow(
      'ended with 1: Questboard stopped: the database cannot be reached (connect ECONNREFUSED 127.0.0.1:1). Check DATABASE_URL.',
    )
  })

  test('replaces all workers at the same port when all have ended', async () => {
    const workers = await workersOf(service)
    if (process.platform === 'linux') expect(workers.length).toBeGreaterThan(0)
    for (const worker of workers) process.kill(worker, 'SIGKILL')
    await expect.poll(() => workers.some(isAlive)).toBe(false)
    const name = () => spaceName().catch(() => undefined)
    await expect.poll(name, { interval: 100 }).toEqual(expect.any(String))
  })

  test('a worker responds to a ping; a worker that cannot start reports the reason and exits with 1', async () => {
    const env = { ...processEnvironment(dataDir), NODE_UNIQUE_ID: '1' }
    const worker = fork(MAIN, { env, silent: true })
    const told: unknown[] = []
    worker.on('message', (message) => told.push(message))
    worker.send({ kind: 'ping' })
    const address = { host: '127.0.0.1', port: 0 }
    const connection = { host: '127.0.0.1', port: 1 }
    worker.send({ kind: 'start', worker: 1, connection, address, shared: false, complete: false })
    // Not 'exit': messages may follow it.
    expect(await once(worker, 'close')).toEqual([1, null])
    expect(told).toEqual([
      { kind: 'pong' },
      { kind: 'failed', failure: expect.objectContaining({ temporary: true, code: 'ECONNREFUSED' }) as unknown },
    ])
  })

  test('exits with 0 after an interrupt and stops the database cleanly', async () => {
    expect(await service.interrupt()).toBe(0)
    await expect(access(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow('ENOENT')
    service = await startProcess(dataDir, { WORKERS: '2' })
  })
})

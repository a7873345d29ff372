import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/connection.ts'
import { SECURITY_EVENTS, type SecurityEvent } from '../../../src/audit/audit.ts'
import { createServices } from '../../../src/services.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { type OauthUpstream, startOauthUpstream, upstreamSettings } from '../../identity/upstreams/oauth-upstream.ts'
import { type ClientHost, startClientHost } from '../../support/client-host.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type FlakyNetwork, flakyNetwork } from '../../support/flaky-network.ts'
import { startService, type TestService } from '../../support/service.ts'
import { startUpstream, type Upstream } from '../../support/upstream.ts'
import type { AuditedWorld, Sent } from './audited-operation.ts'
import { auditedClients } from './audited-clients.ts'
import { auditedOperations } from './audited-operations.ts'
import { auditedRedirects } from './audited-redirects.ts'

// Delays every statement, so that the client disconnects before the end of the first one.
const STAYS = 2
const LATENCY = 4

/** The address of the audited requests. The preparations use other addresses. */
const NETWORK = '127.0.0.1'

let database: TestDatabase
let network: FlakyNetwork
let service: TestService
let source: Upstream
let clientHost: ClientHost
let upstream: OauthUpstream
const world = {} as AuditedWorld
const operations = [...auditedOperations(world), ...auditedClients(world), ...auditedRedirects(world)]

beforeAll(async () => {
  database = await createTestDatabase()
  network = await flakyNetwork(database.connection)
  source = await startUpstream((_request, response) => void response.end('0x' + '1'.repeat(40)))
  const slow = openDatabase({ connection: network.connection, readConnections: 2, log: silentLog })
  upstream = await startOauthUpstream()
  clientHost = await startClientHost('https://chat.example.com/callback')
  service = await startService({
    database: { ...database, ...slow },
    settings: {
      QUESTBOARD_PUBLIC_URL: 'http://localhost:4000',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      ...clientHost.settings,
      ...upstreamSettings(upstream.url),
      QUESTBOARD_OUTGOING_HOSTS: [source.host, clientHost.host].join(),
      QUESTBOARD_WEBHOOK_HOSTS: 'hooks.internal',
    },
  })
  const { clock, deps, app } = service
  const services = { fastify: app.fastify, services: createServices(deps), database: service.database, clock }
  Object.assign(world, { service, services, clientHost, upstream, sourceUrl: source.url })
  await importRecords({ database, clock }, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords({ database, clock }, 'credentials', [
    { id: '501', name: 'List', credType: 'EVM_ADDRESS', credSource: 'CSV' },
  ])
  await database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no entry can be written'; END $$`)
})
afterAll(async () => {
  await service.stop()
  await service.database.close()
  await network.close()
  await source.close()
  await clientHost.close()
  await upstream.close()
  await database.drop()
})

const byCommand: SecurityEvent[] = ['ban.expired', 'keys.secret-made', 'keys.signing-key-rotated', 'keys.resealed']

test('covers every audited operation that is not a command', () => {
  const listed = new Set([...operations.flatMap(({ events }) => events), ...byCommand])
  expect([...listed].toSorted()).toEqual([...SECURITY_EVENTS].toSorted())
})

const titled = operations.map((operation) => [operation.events.join(', '), operation] as const)

test.each(titled)('records %s for a client that disconnects', async (_title, operation) => {
  const sent = await operation.prepare()
  network.delay(LATENCY)
  try {
    for (let stays = STAYS; ; stays *= 2) {
      await sendAndDisconnect(sent, stays, operation.readsUntil)
      if (!operation.isDone) break
      await sleep(100)
      if (await operation.isDone()) break
    }
    await expect.poll(() => eventsFrom(operation.network ?? NETWORK)).toEqual(operation.events.toSorted())
  } finally {
    network.delay(0)
    await database.query('DELETE FROM security_events')
    await database.query("UPDATE credential_sources SET lease = NULL, lease_until = NULL WHERE credential_id = '501'")
  }
})

test('ignores a request of a client that disconnects before the service accepts its connection', async () => {
  const operation = operations.find(({ events }) => events.includes('token.created'))
  const { method, path, headers, body = '' } = (await operation?.prepare()) as Sent
  const head = { ...headers, host: new URL(service.url).host, 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  const asked: unknown[] = []
  const note = ({ url }: IncomingMessage) => asked.push(url)
  service.app.server.on('request', note)
  // Blocks this process, which contains the service, until the client has gone.
  execFileSync(process.execPath, ['--eval', GONE, new URL(service.url).port], {
    input: `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`,
  })
  await fetch(`${service.url}/healthz`)
  service.app.server.off('request', note)
  expect(asked).toEqual(['/healthz'])
})

/** Sends its input and resets the connection. */
const GONE = `
  const socket = require('node:net').connect(process.argv[1], '127.0.0.1')
  socket.write(require('node:fs').readFileSync(0), () => socket.resetAndDestroy())`

const changing = titled.filter(([, { events }]) => !events.includes('session.refused'))

test.each(changing)('changes nothing without the entry of %s', async (_title, operation) => {
  const { method, path, headers = {}, body } = await operation.prepare()
  await database.query('CREATE TRIGGER refuse BEFORE INSERT ON security_events EXECUTE FUNCTION refuse()')
  try {
    const before = await contents()
    const response = await fetch(new URL(path, service.url), { method, headers, ...(body !== undefined && { body }) })
    // The response to an import starts before the import ends.
    if (operation.readsUntil) expect(await response.text()).toContain('"failed"')
    else expect(response.status).toBe(500)
    expect(await contents()).toEqual(before)
  } finally {
    await database.query('DROP TRIGGER refuse ON security_events')
  }
})

async function sendAndDisconnect(
  { method, path, headers, body }: Sent,
  stays: number,
  readsUntil?: string,
): Promise<void> {
  const request = httpRequest(new URL(path, service.url), {
    method,
    headers: { ...headers, 'content-length': Buffer.byteLength(body ?? '') },
    agent: false,
  })
  request.on('error', () => {}) // the test destroys the request
  const closed = new Promise<void>((resolve) => void request.on('close', resolve))
  request.end(body)
  if (readsUntil === undefined) {
    await new Promise<void>((resolve) => void request.on('finish', resolve))
    await sleep(stays)
  } else {
    const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer>]
    for await (const chunk of response) if (chunk.includes(readsUntil)) break
  }
  request.destroy()
  await closed
}

async function eventsFrom(address: string): Promise<string[]> {
  const rows = await database.query<{ event: string }>(
    'SELECT event FROM security_events WHERE address = $1 ORDER BY event',
    [address],
  )
  return rows.map(({ event }) => event)
}

/** Counters, and rows that a request deletes before its change. */
const EXCLUDED_TABLES = ['attempt_windows', 'challenges']

/** A digest of every table. */
async function contents(): Promise<Record<string, string>> {
  const tables = await database.query<{ tablename: string }>(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL ($1)",
    [EXCLUDED_TABLES],
  )
  const digests = tables.map(
    ({ tablename }) =>
      `SELECT '${tablename}' AS name, md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS digest FROM ${tablename} t`,
  )
  const rows = await database.query<{ name: string; digest: string }>(digests.join(' UNION ALL '))
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

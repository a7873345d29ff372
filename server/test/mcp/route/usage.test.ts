import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, expect, test, vi } from 'vitest'
import { KEPT_REQUESTS } from '../../../src/access/request-log.ts'
import { lastRequests } from '../../../src/access/request-log.queries.ts'
import { readUsage } from '../../../src/access/usage.queries.ts'
import { startWorld } from '../../support/fixture.ts'
import { INITIALIZED, rpc, sendRpc } from '../../support/mcp.ts'
import { tokenWithLimits } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'

const world = await startWorld()
afterAll(() => world.stop())

const call = (name: string, args: object) => rpc('tools/call', { name, arguments: args })

test('log, metrics, usage and the list of requests have the tool, its status and its error code', async () => {
  const { token, tokenId } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 8 })
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as never) })
  const service = await startService({ database: world.database, clock: world.clock, log })
  const ids: (string | null)[] = []
  for (const body of [
    rpc('tools/list'),
    call('get_space', { spaceId: 40 }),
    call('get_space', { spaceId: 40 }),
    call('get_space', { spaceId: 987_654_321 }),
    call('search_manual', { query: 'secret words' }),
    call('secret_tool', {}),
    INITIALIZED,
    call('get_space', { spaceId: 'secret' }),
    call('get_quest', { id: 'x' }),
  ]) {
    world.clock.advance(10)
    const { headers } = await sendRpc(service.url, { headers: { 'access-token': token }, body })
    ids.push(headers.get('x-request-id'))
    // A request is recorded after its response, with the time of then.
    await vi.waitFor(() => expect(lines.filter(({ msg }) => msg === 'query')).toHaveLength(ids.length))
  }
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  await service.stop()

  const found = (await lastRequests(world.database.kysely, tokenId, KEPT_REQUESTS)).reverse()
  expect(found.map(({ operation, status, code }) => [operation, status, code])).toEqual([
    ['mcp', 200, null],
    ['mcp.get_space', 200, null],
    ['mcp.get_space', 200, null],
    ['mcp.get_space', 200, 'NOT_FOUND'],
    ['mcp.search_manual', 200, null],
    ['mcp', 400, 'INVALID_ARGUMENT'],
    ['mcp', 202, null],
    ['mcp.get_space', 400, 'INVALID_ARGUMENT'],
    ['mcp.get_quest', 429, 'QUOTA_EXCEEDED'],
  ])
  expect(found.map(({ requestId }) => requestId)).toEqual(ids)
  const day = new Date(world.clock.now()).toISOString().slice(0, 10)
  const usage = await readUsage(world.database.kysely, tokenId, day)
  expect(usage.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['mcp', 'mcp.get_quest', 'mcp.get_space', 'mcp.search_manual']),
  )
  expect(metrics).toContain('questboard_queries_total{status="200",operation="mcp.get_space"} 3')
  expect(metrics).toContain('questboard_queries_total{status="429",operation="mcp.get_quest"} 1')
  const logged = lines.filter(({ msg }) => msg === 'query')
  expect(logged.map(({ operation, request_id }) => [operation, request_id])).toEqual(
    found.map(({ operation, requestId }) => [operation, requestId]),
  )
  expect(JSON.stringify([lines, found, metrics])).not.toMatch(/secret|987654321/)
})

test('each refused message has a status and a code in the log', async () => {
  const { token, tokenId } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 100 })
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const refused: [body: string, headers: Record<string, string>, answered: number, ...logged: [number, string]][] = [
    [call('secret_tool', {}), {}, 200, 400, 'INVALID_ARGUMENT'],
    [rpc('tools/call', {}), {}, 200, 400, 'INVALID_ARGUMENT'],
    [rpc('tools/call', { name: 'get_space', arguments: 5 }), {}, 200, 400, 'INVALID_ARGUMENT'],
    [rpc('tools/call', { name: 'get_space', arguments: { secret: 1 } }), {}, 200, 400, 'INVALID_ARGUMENT'],
    [rpc('resources/list'), {}, 200, 400, 'INVALID_ARGUMENT'],
    [rpc('initialize', { protocolVersion: 5 }), {}, 200, 400, 'INVALID_ARGUMENT'],
    ['{', {}, 400, 400, 'INVALID_ARGUMENT'],
    [deep, {}, 400, 400, 'INVALID_ARGUMENT'],
    ['{"method":"tools/list","id":1}', {}, 400, 400, 'INVALID_ARGUMENT'],
    [rpc('ping'), { 'mcp-protocol-version': '1999-01-01' }, 400, 400, 'INVALID_ARGUMENT'],
    [rpc('ping'), { accept: 'text/html' }, 406, 406, 'NOT_ACCEPTABLE'],
    [rpc('ping'), { 'content-type': 'text/plain' }, 415, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [`"${'x'.repeat(100_000)}"`, {}, 413, 413, 'PAYLOAD_TOO_LARGE'],
  ]
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as never) })
  const service = await startService({ database: world.database, clock: world.clock, log })
  for (const [body, headers, answered] of refused) {
    world.clock.advance(10)
    const { status } = await sendRpc(service.url, { headers: { 'access-token': token, ...headers }, body })
    expect([body.slice(0, 60), status]).toEqual([body.slice(0, 60), answered])
  }
  await service.stop()
  const expected = refused.map(([, , , ...logged]) => logged)
  const found = (await lastRequests(world.database.kysely, tokenId, KEPT_REQUESTS)).reverse()
  expect(found.map(({ status, code }) => [status, code])).toEqual(expected)
  const logged = lines.filter(({ msg }) => msg === 'query')
  expect(logged.map(({ status }) => status)).toEqual(expected.map(([status]) => status))
  expect(JSON.stringify([lines, found])).not.toContain('secret')
})

test('the first request loads the SDK, not the start', () => {
  const folder = join(import.meta.dirname, '../../../src')
  const sources = globSync('**/*.ts', { cwd: folder }).map((file) => ({
    file,
    text: readFileSync(join(folder, file), 'utf8'),
  }))
  const named = (part: RegExp) => sources.filter(({ text }) => part.test(text)).map(({ file }) => file)
  expect(named(/from '@modelcontextprotocol\//)).toEqual(['mcp/respond.ts'])
  expect(named(/from '[^']*\/mcp\/respond\.ts'|from '\.\/respond\.ts'/)).toEqual([])
  expect(named(/import\('\.\/respond\.ts'\)/)).toEqual(['mcp/route.ts'])
})

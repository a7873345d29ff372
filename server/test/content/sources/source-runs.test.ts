import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import type { DescribedKind } from '../../../src/sync/describe-kinds.ts'
import { kindOf, sourceKinds } from '../../../src/sync/source.ts'
import { type Answer as UpstreamAnswer, startUpstream, type Upstream } from '../../support/upstream.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

const PATH = '/api/credentials/500/source'
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

let upstream: Upstream
let answer: UpstreamAnswer
let service: ContentService
let editor: Editor
let admin: Editor
beforeAll(async () => {
  upstream = await startUpstream((request, response) => answer(request, response))
  service = await startContent({ settings: { QUESTBOARD_OUTGOING_HOSTS: upstream.host } })
  await importRecords(service.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  const common = { credType: 'EVM_ADDRESS', curatorSpaceId: 40 }
  await importRecords(service.services, 'credentials', [
    { id: '500', name: 'List', credSource: 'REST', ...common },
    { id: '501', name: 'Empty', credSource: 'CSV', ...common },
    { id: '502', name: 'Imported', credSource: 'CSV', ...common },
  ])
  await importRecords(service.services, 'holders', [{ credentialId: '502', address: address(9) }])
  editor = await service.withRole(40, 'editor')
  admin = await service.withRole(40, 'admin')
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})

const list = (count: number) => Array.from({ length: count }, (_, n) => address(n + 1)).join('\n')
const listOf = async (id: string, who = editor) =>
  (await who.get<{ syncedAt: string | null; failing: boolean; inTeam: boolean }>(`/api/credentials/${id}/list`)).body
const stateOf = async () => (await editor.get<{ state: string }>(PATH)).body.state
const run = (who: Editor, body?: object) => who.call<ErrorBody>('POST', `${PATH}/run`, body)
const ended = (state: string) => expect.poll(stateOf).toBe(state)

describe('the kinds of sources', () => {
  const kinds = async () => (await editor.get<{ kinds: DescribedKind[] }>('/api/sources/kinds')).body.kinds

  it('describe every setting of their schemas', async () => {
    const described = await kinds()
    expect(described.map(({ kind }) => kind)).toEqual(sourceKinds)
    for (const { kind, act, fields } of described) {
      const { error } = kindOf(kind).schema.safeParse({ kind })
      const missing = error?.issues.map(({ path }) => path.join('.')) ?? []
      if (act === null) expect(fields.map(({ path }) => path)).toEqual(expect.arrayContaining(missing))
    }
  })

  it('name required, write-only and nested settings', async () => {
    const byKind = new Map((await kinds()).map((kind) => [kind.kind, kind]))
    const field = (kind: 'DISCORD_MEMBER' | 'REST' | 'CSV', path: string) =>
      byKind.get(kind)?.fields.find((one) => one.path === path)
    expect(field('DISCORD_MEMBER', 'botToken')).toMatchObject({ required: true, writeOnly: true, type: 'text' })
    expect(field('REST', 'next.page.parameter')).toMatchObject({ variant: { of: 'next', name: 'page' } })
    expect(field('REST', 'column')).toMatchObject({ variant: { of: 'format', name: 'csv' } })
    expect(field('REST', 'format')).toMatchObject({ variant: null, choices: ['json', 'csv', 'text'] })
    expect(field('REST', 'next')).toMatchObject({ type: 'variants', choices: ['page', 'offset', 'cursor', 'url'] })
    expect(field('CSV', 'everySeconds')).toMatchObject({ type: 'number', default: 3600, minimum: 60 })
    expect(byKind.get('EVM_EVENT')).toMatchObject({ group: 'chains', credType: 'EVM_ADDRESS', credSource: 'REST' })
    expect(byKind.get('TELEGRAM_MEMBER')).toMatchObject({ lists: false, credSource: 'API', identityKind: 'Telegram' })
  })
})

describe('a run that a team starts', () => {
  it('needs a source, and the right to edit', async () => {
    expect((await run(editor)).status).toBe(409)
    expect((await run(await service.withRole(40, 'viewer'))).status).toBe(403)
    expect((await run(await service.someone())).status).toBe(403)
  })

  it('imports the list, and is in the log', async () => {
    const source = { kind: 'REST', url: `${upstream.url}/list`, format: 'text' }
    expect((await service.operator.call('PUT', PATH, { source, version: null })).status).toBe(200)
    answer = (_, response) => void response.end(list(4))
    expect(await listOf('500')).toEqual({ credentialId: '500', syncedAt: null, failing: false, inTeam: true })
    expect((await run(editor)).status).toBe(202)
    await ended('done')
    expect(await service.logOf(editor)).toContainEqual({ event: 'sync.started', details: { credential: '500' } })
    expect(await listOf('500')).toMatchObject({ syncedAt: expect.any(String) as string, failing: false })
  })

  it('waits for an admin if it removes too many', async () => {
    answer = (_, response) => void response.end(list(1))
    await run(editor)
    await ended('held')
    expect(await listOf('500')).toMatchObject({ failing: true })
    expect((await run(editor, { confirm: true })).status).toBe(403)
    expect((await run(admin, { confirm: true })).status).toBe(202)
    await ended('done')
    const { body } = await editor.get<{ itemCount: number }>('/api/credentials/500')
    expect(body.itemCount).toBe(1)
  })

  it('that fails keeps the time of the last success', async () => {
    const { syncedAt } = await listOf('500')
    answer = (_, response) => void response.writeHead(404).end()
    await run(editor)
    await ended('failed')
    const stranger = await service.someone()
    expect(await listOf('500', stranger)).toEqual({ credentialId: '500', syncedAt, failing: true, inTeam: false })
  })
})

it('returns the time at which a list without a source was imported, and no time for an empty list', async () => {
  expect(await listOf('501')).toMatchObject({ syncedAt: null, failing: false })
  expect(await listOf('502')).toMatchObject({ syncedAt: expect.any(String) as string })
  expect((await editor.get('/api/credentials/999/list')).status).toBe(404)
})

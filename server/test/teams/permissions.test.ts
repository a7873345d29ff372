import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findIngestToken } from '../../src/access/ingest-tokens.queries.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { factsAbout } from '../../src/webhooks/endpoints.queries.ts'
import { EVENT_TYPES } from '../../src/webhooks/events.ts'
import { type ContentService, type Editor, startContent } from '../content/arrange.ts'

let service: ContentService
beforeAll(async () => {
  service = await startContent()
  await importRecords(service.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords(service.services, 'credentials', [
    { id: '500', name: 'C', credType: 'EVM_ADDRESS', credSource: 'CSV', curatorSpaceId: 40 },
  ])
})
afterAll(() => service.close())

const ROLES = ['owner', 'admin', 'editor', 'viewer'] as const

describe('ingest tokens', () => {
  const create = (who: Editor, body: object) => who.call('POST', '/api/ingest-tokens', { name: 'T', ...body })

  it.each([
    ['owner', 201],
    ['admin', 201],
    ['editor', 400],
    ['viewer', 400],
  ] as const)('for a space and its credentials: role %s gets %i', async (role, status) => {
    const who = await service.withRole(40, role)
    expect((await create(who, { spaces: [40] })).status).toBe(status)
    expect((await create(who, { credentials: ['500'] })).status).toBe(status)
  })

  it('lose the space with the role of their account', async () => {
    const admin = await service.withRole(40, 'admin')
    const made = await admin.call<{ tokenId: string }>('POST', '/api/ingest-tokens', {
      name: 'T',
      spaces: [40],
      credentials: ['500'],
    })
    const scope = async () => {
      const [row] = await service.database.query<{ token_hash: Buffer }>(
        'SELECT token_hash FROM ingest_tokens WHERE token_id = $1',
        [made.body.tokenId],
      )
      return (await findIngestToken(service.database, row?.token_hash ?? Buffer.alloc(0)))?.scope
    }
    expect(await scope()).toMatchObject({ spaceIds: [40], credentialIds: ['500'] })
    await service.database.query('DELETE FROM space_members WHERE account_id = $1', [admin.account.id])
    expect(await scope()).toMatchObject({ spaceIds: [], credentialIds: [] })
  })
})

describe('webhooks', () => {
  it.each(ROLES)('of the role %s hear of private quests', async (role) => {
    const who = await service.withRole(40, role)
    const endpoint = await listen(who)
    await importRecords(service.services, 'quests', [
      { id: `GC${role}`, spaceId: 40, name: 'Private', type: 'Drop', status: 'Active', isPrivate: true },
    ])
    expect(await messagesOf(endpoint)).toBe(1)
  })

  it('of other accounts do not', async () => {
    const endpoint = await listen(await service.someone())
    await importRecords(service.services, 'quests', [
      { id: 'GCother', spaceId: 40, name: 'Private', type: 'Drop', status: 'Active', isPrivate: true },
    ])
    expect(await messagesOf(endpoint)).toBe(0)
  })

  it.each([
    ['owner', true],
    ['admin', true],
    ['editor', false],
    ['viewer', false],
  ] as const)('of the role %s count as those of an owner: %s', async (role, owned) => {
    const who = await service.withRole(40, role)
    const facts = await factsAbout(service.database.kysely, ['space:40', 'credential:500'], {
      accountId: who.account.id,
      endpointId: '00000000-0000-4000-8000-000000000000',
      network: '',
    })
    expect(facts.map((fact) => [fact.exists, fact.owned])).toEqual([
      [true, owned],
      [true, owned],
    ])
  })

  const listen = async ({ account }: Editor): Promise<string> => {
    const [row] = await service.database.query<{ id: string }>(
      `INSERT INTO webhook_endpoints (endpoint_id, account_id, url, description, event_types, subjects, min_points, top, boards, created_at)
       VALUES (gen_random_uuid(), $1, 'https://a.example', '', '{quest.status}', '{space:40}', 1, 10, 'all', now())
       RETURNING endpoint_id AS id`,
      [account.id],
    )
    await service.database.query(
      `INSERT INTO webhook_subscriptions (subject, endpoint_id, account_id, event_types, min_points, top, boards)
       VALUES ('space:40', $1, $2, $3, 1, 10, 'all')`,
      [row?.id, account.id, EVENT_TYPES],
    )
    return row?.id ?? ''
  }
  const messagesOf = async (endpoint: string) =>
    (await service.database.query('SELECT FROM webhook_messages WHERE endpoint_id = $1', [endpoint])).length
})

describe('the public page', () => {
  it.each([
    ['owner', 200],
    ['admin', 200],
    ['editor', 403],
    ['viewer', 403],
  ] as const)('the role %s gets status %i when it publishes', async (role, status) => {
    const who = await service.withRole(40, role)
    expect((await who.call('PUT', '/api/explore/spaces/40/page', { slug: `by-${role}` })).status).toBe(status)
    const { body } = await who.get<object>('/api/explore/spaces/40/page')
    expect(body).toMatchObject({ editable: status === 200, standing: role })
  })
})

it('lists spaces of a team as those of the account', async () => {
  const viewer = await service.withRole(40, 'viewer')
  expect((await viewer.get('/api/explore')).body).toMatchObject({ spaces: [{ id: '40' }] })
  expect((await (await service.someone()).get('/api/explore')).body).toMatchObject({ spaces: [] })
})

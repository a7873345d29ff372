import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { type Answer, type ContentService, type ErrorBody, startContent } from '../../content/arrange.ts'

const page = await readFile(join(import.meta.dirname, '../../../../docs/content.md'), 'utf8')

let service: ContentService
beforeAll(async () => {
  service = await startContent()
  await importRecords(service.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords(service.services, 'credentials', [
    { id: '312969464', name: 'Meridian Genesis Bridger', credType: 'EVM_ADDRESS', credSource: 'CSV' },
  ])
})
afterAll(() => service.close())

const curl = (path: string) => page.split('```sh\n').find((block) => block.includes(path)) ?? ''
const bodyOf = (command: string) => JSON.parse(/-d '([^']*)'/.exec(command)?.[1] ?? '') as Record<string, unknown>
const post = <T>(path: string): Promise<Answer<T>> => service.operator.call<T>('POST', path, bodyOf(curl(`${path} -H`)))

/** The response matches the example that contains `like`. Ids and tokens may differ, and … matches any text. */
function expectShown(body: unknown, like: string): void {
  const general = (text: string) => text.replaceAll(/"(id|version|csrfToken)":"[\w-]{10,}"/g, '"$1":"…"')
  const shown = page.split('```text\n').find((block) => block.split('```')[0]?.includes(like)) ?? ''
  const parts = general(shown.split('\n')[0] ?? '').split('…')
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')
  expect(JSON.stringify(body)).toMatch(new RegExp(`^${pattern}$`))
}

it('returns the session of docs/content.md', async () => {
  expectShown((await service.operator.get<object>('/api/session')).body, '"csrfToken"')
})

it('creates and publishes a quest with the requests of docs/content.md', async () => {
  const created = await post<{ id: string; version: string; status: string }>('/api/quests')
  expect([created.status, created.body.status]).toEqual([201, 'Draft'])
  expectShown(created.body, '"status":"Draft"')
  const change = bodyOf(curl('-X PATCH'))
  const { id, version } = created.body
  const changed = await service.operator.call('PATCH', `/api/quests/${id}`, { ...change, version })
  expectShown(changed.body, '"status":"Active"')
})

it('lists the participants of a quest with the request of docs/content.md', async () => {
  const [, id = ''] = /api\/quests\/(\w+)\/participants/.exec(page) ?? []
  const [, address = ''] = /"items":\[{"address":"(\w+)"/.exec(page) ?? []
  const at = '2026-11-02T10:00:00.000Z'
  const quest = { id, spaceId: 40, name: 'Light the beacon', type: 'Points', loyaltyPoints: 25 } as const
  await importRecords(service.services, 'quests', [quest])
  await importRecords(service.services, 'points', [{ spaceId: 40, address, points: 25, username: 'Mara' }])
  const others = [address, `0x${'f'.repeat(40)}`].map((one) => ({ questId: id, address: one, joinedAt: at }))
  await importRecords(service.services, 'participants', others)
  await service.database.query('INSERT INTO quest_claims VALUES ($1, $2, NULL, NULL, 25, 0, $3)', [id, address, at])
  expectShown((await service.operator.get<object>(`/api/quests/${id}/participants?first=1`)).body, '"items"')
})

it('previews groups with the request of docs/content.md', async () => {
  expectShown((await post('/api/quests/preview')).body, '"credentialGroups"')
})

it('checks holders with the request of docs/content.md', async () => {
  expectShown((await post('/api/credentials/312969464/holders')).body, '"refused"')
})

it('returns the error of docs/content.md for an unknown credential', async () => {
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as ErrorBody
  const { status, body } = await service.operator.call<ErrorBody>('POST', '/api/quests', {
    spaceId: 40,
    name: 'Unknown',
    type: 'Drop',
    credentialGroups: [
      { conditionRelation: 'ALL', conditions: [{ credentialId: '312969464' }, { credentialId: '9' }], rewards: [] },
    ],
  })
  expect(status).toBe(400)
  expect({ ...body.error, request_id: '…' }).toEqual(shown.error)
})

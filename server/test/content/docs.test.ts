import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { type Answer, type ContentService, type ErrorBody, startContent } from './arrange.ts'

const page = await readFile(join(import.meta.dirname, '../../../docs/content.md'), 'utf8')

let service: ContentService
beforeAll(async () => {
  service = await startContent()
  await importRecords(service.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords(service.services, 'credentials', [
    { id: '500', name: 'Genesis holder', credType: 'EVM_ADDRESS', credSource: 'CSV' },
  ])
})
afterAll(() => service.close())

const curl = (path: string) => page.split('```sh\n').find((block) => block.includes(path)) ?? ''
const bodyOf = (command: string) => JSON.parse(/-d '([^']*)'/.exec(command)?.[1] ?? '') as Record<string, unknown>
const post = <T>(path: string): Promise<Answer<T>> => service.operator.call<T>('POST', path, bodyOf(curl(`${path} -H`)))

it('creates and publishes a quest with the requests of docs/content.md', async () => {
  const created = await post<{ id: string; version: string; status: string }>('/api/quests')
  expect([created.status, created.body.status]).toEqual([201, 'Draft'])
  const change = bodyOf(curl('-X PATCH'))
  const { id, version } = created.body
  expect((await service.operator.call('PATCH', `/api/quests/${id}`, { ...change, version })).body).toMatchObject({
    status: 'Active',
    autoStatus: true,
  })
})

it('previews groups with the request of docs/content.md', async () => {
  expect((await post('/api/quests/preview')).body).toMatchObject({
    credentialGroups: [{ conditions: [{ expression: 'Genesis holder', eligible: false }] }],
  })
})

it('returns the error of docs/content.md for an unknown credential', async () => {
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as ErrorBody
  const { status, body } = await service.operator.call<ErrorBody>('POST', '/api/quests', {
    spaceId: 40,
    name: 'Unknown',
    type: 'Drop',
    credentialGroups: [
      { conditionRelation: 'ALL', conditions: [{ credentialId: '500' }, { credentialId: '9' }], rewards: [] },
    ],
  })
  expect(status).toBe(400)
  expect({ ...body.error, request_id: '…' }).toEqual(shown.error)
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownStarboard } from '../../../src/content/starboards/starboard-rights.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { statementsOf } from '../../support/statements.ts'
import { type ContentService, startContent } from '../arrange.ts'

let service: ContentService
beforeAll(async () => {
  service = await startContent()
  await importRecords(service.services, 'starboards', [{ id: 'b1', name: 'Board', type: 'TWITTER' }])
})
afterAll(() => service.close())

it('shows the owner the record whose owner was checked, with one statement', async () => {
  const owner = await service.someone()
  const accountId = owner.account.id
  await service.database.query('UPDATE starboards SET owner_account_id = $1', [accountId])
  const statements = await statementsOf(service.database, async (kysely) => {
    const services = { ...service.services, database: { ...service.services.database, kysely } }
    const starboard = await ownStarboard({ services, accountId, params: { id: { text: 'b1' } } })
    expect(starboard).toMatchObject({ id: 'b1', name: 'Board' })
    expect((await owner.get('/api/starboards/b1')).body).toEqual({
      ...starboard,
      version: expect.any(String) as string,
    })
  })
  expect(statements).toHaveLength(1)
})

it('refuses other accounts, except operators', async () => {
  const path = '/api/starboards/b1'
  expect((await (await service.someone()).get(path)).status).toBe(403)
  expect((await service.operator.get(path)).status).toBe(200)
  expect((await service.operator.get('/api/starboards/unknown')).status).toBe(404)
})

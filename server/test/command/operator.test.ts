import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { questboard, urlOf } from './questboard.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('writes an entry to the audit log for each invitation', async () => {
  const invite = () =>
    questboard(['operator', 'invite', '--json'], {
      DATABASE_URL: urlOf(database.connection),
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    })
  for (const { code, stderr } of [await invite(), await invite()]) expect(code, stderr).toBe(0)
  const entry = {
    account_id: '00000000-0000-0000-0000-000000000000',
    event: 'operator.invited',
    address: '',
    details: { by: 'command' },
  }
  expect(await database.query('SELECT account_id, event, address, details FROM security_events')).toEqual([
    entry,
    entry,
  ])
  expect(await database.query('SELECT 1 FROM operator_invitations')).toHaveLength(2)
})

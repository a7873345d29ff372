import { afterAll, expect, test } from 'vitest'
import { isOnList } from '../../src/resolvers/holders.queries.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

/** Looks up a name that belongs to an account as an identity of this kind. */
async function lookUp(name: string, kind: string) {
  await database.query(`INSERT INTO linked_names (name, kind, account_id) VALUES ($1, $2, gen_random_uuid())`, [
    name,
    kind,
  ])
  return isOnList(database, { credentialId: '500', holder: name, member: name, kind: 'EVMAddress' })
}

test.each(['Twitter', 'Discord', 'Github', 'Telegram'])(
  'the first statement decides about a handle of %s, because a handle names no account',
  async (kind) => {
    const { held, validators } = await lookUp(`ada-${kind}`, kind)
    expect(held).toBe(false)
    expect(validators).toMatchObject([{ statement: { name: 'holders.holds' }, version: 'none' }])
  },
)

test.each(['EVMAddress', 'SolanaAddress', 'Email'])(
  'the second statement looks up the account of an identity of the kind %s',
  async (kind) => {
    const { held, validators } = await lookUp(`ada-${kind}`, kind)
    expect(held).toBe(false)
    expect(validators).toMatchObject([{ statement: { name: 'holders.holds-linked' }, version: 'none' }])
  },
)

test('the second statement looks up an address that is also a handle', async () => {
  await lookUp('0xada', 'Discord')
  const { validators } = await lookUp('0xada', 'EVMAddress')
  expect(validators).toMatchObject([{ statement: { name: 'holders.holds-linked' } }])
})

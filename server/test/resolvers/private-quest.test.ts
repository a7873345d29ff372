import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { OWNED_SPACE, startWorld, type World } from '../support/fixture.ts'
import { BUSINESS_ACCOUNT } from '../support/personas.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await world.database.query(
    `INSERT INTO quest_credential_groups (quest_id, group_id, position, condition_relation) VALUES ('GCprivate1', 'g', 1, 'ALL')`,
  )
  await world.database.query(
    `INSERT INTO quest_conditions (quest_id, group_id, position, expression, credential_id) VALUES ('GCprivate1', 'g', 1, 'x', 500)`,
  )
})
afterAll(() => world.stop())

const answers = async () => {
  const texts = [
    '{ quest(id: "GCprivate1") { name } }',
    `{ credential(id: "500") { eligible(address: "0x${'d1'.repeat(20)}", campaignId: "GCprivate1") } }`,
  ]
  const all = await Promise.all(texts.map((text) => ask(world.url, text, { token: world.personas.business })))
  return all.map(({ errors }) => errors?.map(({ message }) => message))
}

describe('private quests', () => {
  it.each(['admin', 'editor', 'viewer'])('are readable with tokens of an account with the role %s', async (role) => {
    expect(await answers()).toEqual([['Quest is private'], ['Quest is private']])
    await world.database.query('INSERT INTO space_members VALUES ($1, $2, $3, now())', [
      OWNED_SPACE,
      BUSINESS_ACCOUNT,
      role,
    ])
    expect(await answers()).toEqual([undefined, undefined])
    await world.database.query('DELETE FROM space_members')
    expect(await answers()).toEqual([['Quest is private'], ['Quest is private']])
  })

  it('stay private for the team of another space', async () => {
    await world.database.query(`INSERT INTO space_members VALUES (40, $1, 'admin', now())`, [BUSINESS_ACCOUNT])
    expect(await answers()).toEqual([['Quest is private'], ['Quest is private']])
  })
})

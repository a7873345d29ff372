import { afterAll, expect, test } from 'vitest'
import { startWorld } from '../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

interface Argument {
  name: string
  isDeprecated: boolean
  deprecationReason: string | null
}

test('9.1 MUST mark only first and after of loyaltyPointsRanks as deprecated', async () => {
  const { data } = await world.ask<{ __type: { fields: { name: string; args: Argument[] }[] } }>(
    '{ __type(name: "Space") { fields { name args(includeDeprecated: true) { name isDeprecated deprecationReason } } } }',
  )
  const { args } = data.__type.fields.find(({ name }) => name === 'loyaltyPointsRanks') ?? { args: [] }
  expect(args.filter(({ isDeprecated }) => isDeprecated).map(({ name }) => name)).toEqual(['first', 'after'])
  for (const { isDeprecated, deprecationReason } of args)
    expect(deprecationReason === null || deprecationReason.includes('cursorAfter')).toBe(
      isDeprecated ? true : deprecationReason === null,
    )
  const ofSpecification = ['first', 'after', 'cursorAfter', 'cursorBefore', 'sprintId']
  expect(args.map(({ name }) => name).filter((name) => name !== 'around')).toEqual(ofSpecification)
})

test('9.1 MUST still execute a document that uses the deprecated arguments', async () => {
  const { status, data } = await world.ask(
    '{ space(id: 40) { loyaltyPointsRanks(first: 2, after: null) { list { rank } } } }',
  )
  expect([status, data]).toEqual([200, { space: { loyaltyPointsRanks: { list: [{ rank: 1 }, { rank: 2 }] } } }])
})

import { declaredStatements, statement } from '@questboard/pg-read-pipeline'
import { beforeAll, describe, expect, test } from 'vitest'
import '../../src/app.ts'
import type { PlacedTable } from '../../src/distribution/layout.queries.ts'
import { locatorOf } from '../../src/distribution/owned-statement.ts'
import { type Placement, placements } from '../../src/distribution/placements.ts'
import { hashOf } from '../../src/distribution/value-hash.ts'
import { createTestDatabase } from '../support/database.ts'
import { type Layout, routeOf } from './routing.ts'

/** Of `text` columns: four shards on two nodes. */
const lowest = [-2_147_483_648, -1_073_741_824, 0, 1_073_741_824]
const shardsFrom = (first: number) =>
  lowest.map((from, place) => ({ id: first + place, from, to: from + 1_073_741_823, group: 1 + (place % 2) }))
const colocations = [...new Set(Object.values(placements).map((one) => JSON.stringify(one)))]

function placedTable(placement: Placement, number: number): PlacedTable {
  const colocation = colocations.indexOf(JSON.stringify(placement))
  const first = 1_000 * (number + 1)
  switch (placement.kind) {
    case 'distributed':
      return { kind: 'owned', colocation, column: { name: placement.column, type: 'text' }, shards: shardsFrom(first) }
    case 'single':
      return { kind: 'owned', colocation, shards: [{ id: first, from: -2_147_483_648, to: 2_147_483_647, group: 2 }] }
    case 'reference':
      return { kind: 'everywhere', shard: first }
    case 'local':
      return { kind: 'local' }
  }
}

const cluster = {
  nodes: [],
  tables: new Map(Object.entries(placements).map(([name, placement], i) => [name, placedTable(placement, i)])),
}

/** Statements that the coordinator executes, and why. */
const ofCoordinator = new Map([
  ['quota.lease', 'reads a table of the coordinator'],
  ['attempts.count', 'names the value in a list'],
  ['ingest-token.owned-starboards', 'asks every node'],
  ['ingest-token.owned-credentials', 'asks every node'],
  ['oauth.signing-keys', 'reads a table of the coordinator'],
  ['oauth.newest-signing-key', 'reads a table of the coordinator'],
  ['claims.credentials', 'asks every node'],
  ['persisted-document.by-hash', 'reads a table of the coordinator'],
  ['webhooks.listened', 'reads a table of the coordinator'],
  ['oauth.codes', 'names the values in a list'],
  ['oauth.access-tokens', 'names the values in a list'],
])

describe('the declared statements', () => {
  let layout: Layout
  beforeAll(async () => {
    const database = await createTestDatabase()
    const rows = await database.query<{ table: string; column: string }>(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
       WHERE table_schema = 'public' ORDER BY ordinal_position`,
    )
    await database.drop()
    const tables = [...Map.groupBy(rows, ({ table }) => table)]
    layout = {
      placements,
      columns: new Map(tables.map(([name, own]) => [name, new Set(own.map((row) => row.column))])),
    }
  })
  const declared = declaredStatements().filter(({ name }) => !/^(health|test)\./.test(name))

  test('go to the node of their shards, except known ones', () => {
    const values = Array.from({ length: 12 }, (_, i) => `value ${i}`)
    const others = declared.filter((one) => !locatorOf(one, cluster)?.(values)).map(({ name }) => name)
    expect(others.toSorted()).toEqual([...ofCoordinator.keys()].toSorted())
  })

  test('use the value that selects the node in each of their subqueries', () => {
    for (const one of declared) {
      const values = Array.from({ length: 12 }, (_, i) => `value ${i}`)
      const locate = locatorOf(one, cluster)
      const owned = locate?.(values)
      if (!locate || !owned) continue
      const { touches, problems } = routeOf({ text: one.text, values }, layout)
      expect(problems, one.name).toEqual([])
      const used = new Set(touches.flatMap((touched) => touched.split('=')[1] ?? []))
      expect(used.size, one.name).toBeLessThanOrEqual(1)
      // Another value of the same parameter, and of no other, selects another node.
      for (const [place, value] of values.entries()) {
        const groups = new Set(
          Array.from({ length: 16 }, (_, i) => locate(values.with(place, `${value} ${i}`))?.statement.name),
        )
        expect(groups.size > 1, `${one.name} $${place + 1}`).toBe(used.has(value))
      }
    }
  })
})

describe('a statement about shards', () => {
  const located = (text: string, ...values: string[]) => locatorOf({ name: 'test.one', text }, cluster)?.(values)

  test('names the shard of the value for each of its tables, and checks that the node still has it', () => {
    const shards = ['boards', 'sprints'].map((name) => {
      const table = cluster.tables.get(name)
      return table?.kind === 'owned' ? table.shards : []
    })
    const hash = hashOf('text', '40') as number
    const place = shards[0]?.findIndex(({ to }) => hash <= to) ?? 0
    const found = located('SELECT FROM boards b JOIN sprints USING (space_id) WHERE b.space_id = $1', '40')
    expect(found?.group).toBe(1 + (place % 2))
    for (const own of shards) expect(found?.statement.text).toContain(`_${own[place]?.id}"`)
    expect(found?.statement.text).toContain(`groupid = ${found?.group}`)
    expect(found?.statement.name).toMatch(/^test\.one@\d+$/)
  })

  test.each([
    ['tables of the coordinator', 'SELECT FROM quota_windows WHERE token_id = $1'],
    ['tables with different columns', 'SELECT FROM boards, starboards WHERE space_id = $1 AND starboard_id = $1'],
    ['no parameter', 'SELECT FROM boards WHERE space_id = 40'],
    ['two parameters', 'SELECT FROM boards a, boards b WHERE a.space_id = $1 AND b.space_id = $2'],
    ['no table', `SELECT 'boards' WHERE $1 = $1`],
  ])('does not exist for %s', (_, text) => {
    expect(located(text, '40', '41')).toBeUndefined()
  })

  test('does not exist for a value without a hash', () => {
    const one = statement('test.null', 'SELECT FROM boards WHERE space_id = $1')
    expect(locatorOf(one, cluster)?.([null])).toBeUndefined()
  })

  test('does not exist while tables of one colocation are on different nodes', () => {
    const moved = { kind: 'owned', colocation: 0, column: { name: 'space_id', type: 'text' } } as const
    const tables = new Map<string, PlacedTable>([
      ['boards', { ...moved, shards: shardsFrom(1) }],
      ['sprints', { ...moved, shards: shardsFrom(11).map((shard) => ({ ...shard, group: 3 })) }],
    ])
    const text = 'SELECT FROM boards JOIN sprints USING (space_id) WHERE boards.space_id = $1 AND sprints.space_id = $1'
    expect(locatorOf({ name: 'test.moved', text }, { nodes: [], tables })?.(['40'])).toBeUndefined()
  })
})

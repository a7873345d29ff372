import type { QueryResultRow } from 'pg'
import type { Statement, Value } from '@questboard/pg-read-pipeline'
import type { Layout, PlacedShard, PlacedTable } from './layout.queries.ts'
import { COORDINATOR } from './node-connections.ts'
import { onShards } from './on-shards.queries.ts'
import { hashOf } from './value-hash.ts'

/** A statement about the shards of one node, as that node executes it without Citus. */
export interface OwnedStatement {
  group: number
  statement: Statement<QueryResultRow>
}

/** Finds the node of an execution; undefined if a value has no shard. */
export type Locate = (values: readonly Value[]) => OwnedStatement | undefined

/**
 * Returns a function that finds the node with all rows of a statement. Undefined if the statement reads tables of the
 * coordinator, or does not compare the distribution column with one parameter. owned-statement.test.ts proves that a
 * statement with such a parameter uses it in each of its subqueries.
 */
export function locatorOf(statement: Statement<QueryResultRow>, { tables }: Layout): Locate | undefined {
  const used = tablesOf(statement, tables)
  const everywhere = new Map<string, number>()
  const owned: Owned[] = []
  for (const { name, table } of used) {
    if (table.kind === 'local') return undefined
    if (table.kind === 'everywhere') everywhere.set(name, table.shard)
    else owned.push({ name, table })
  }
  const [first, ...others] = owned
  if (!first) return everywhere.size === 0 ? undefined : ofCoordinator(statement, everywhere)
  if (others.some(({ table }) => table.colocation !== first.table.colocation)) return undefined
  const make = (place: number): OwnedStatement | undefined => {
    const { id, from, group } = first.table.shards[place] as PlacedShard
    const shards = new Map(everywhere)
    for (const { name, table } of owned) {
      const shard = table.shards[place]
      if (shard?.from !== from || shard.group !== group) return undefined
      shards.set(name, shard.id)
    }
    return { group, statement: onShards(statement, shards, { shard: id, group }) }
  }
  if (!first.table.column) return once(() => make(0))
  const parameter = parameterOf(statement.text, owned)
  if (parameter === undefined) return undefined
  const { type } = first.table.column
  const { shards } = first.table
  const made: (OwnedStatement | undefined)[] = []
  return (values) => {
    const hash = hashOf(type, values[parameter])
    if (hash === undefined) return undefined
    const place = placeOf(hash, shards)
    return hash > (shards[place] as PlacedShard).to ? undefined : (made[place] ??= make(place))
  }
}

/** Whether a statement that the coordinator executes may wait for other nodes. */
export const readsShards = (statement: Statement<QueryResultRow>, { tables }: Layout): boolean =>
  tablesOf(statement, tables).some(({ table }) => table.kind === 'owned')

function tablesOf({ text }: Statement<QueryResultRow>, tables: Layout['tables']) {
  const words = new Set(text.replaceAll(/'(?:[^']|'')*'/g, '').match(/\w+/g))
  return [...words].flatMap((name) => {
    const table = tables.get(name)
    return table ? [{ name, table }] : []
  })
}

interface Owned {
  name: string
  table: Extract<PlacedTable, { kind: 'owned' }>
}

/** The index of the only parameter with which distribution columns are compared. */
function parameterOf(text: string, owned: readonly Pick<Owned, 'table'>[]): number | undefined {
  const columns = new Set(owned.map(({ table }) => table.column?.name ?? ''))
  const found = new Set(
    [...columns].flatMap((column) =>
      [...text.matchAll(new RegExp(`\\b${column}\\s*=\\s*\\$(\\d+)`, 'g'))].map(([, number]) => Number(number) - 1),
    ),
  )
  const [only, ...more] = found
  return more.length === 0 ? only : undefined
}

function ofCoordinator(statement: Statement<QueryResultRow>, tables: ReadonlyMap<string, number>): Locate {
  const [shard] = tables.values()
  return once(() => ({
    group: COORDINATOR,
    statement: onShards(statement, tables, { shard: shard as number, group: COORDINATOR }),
  }))
}

function once(make: () => OwnedStatement | undefined): Locate {
  let made: OwnedStatement | undefined
  return () => (made ??= make())
}

/** The index of the last shard that begins at a hash or before it. */
function placeOf(hash: number, shards: readonly PlacedShard[]): number {
  let low = 0
  let high = shards.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((shards[middle] as PlacedShard).from <= hash) low = middle
    else high = middle - 1
  }
  return low
}

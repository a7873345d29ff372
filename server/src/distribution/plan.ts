import type { DefinedForeignKey, TableFacts } from './catalogue.queries.ts'
import { canHold, describePlacement, type ForeignKey, type Placement, placements } from './placements.ts'
import type { WrittenDown } from './written-down.queries.ts'

/** What there is: read from the catalogue of a database. */
export interface Installed {
  tables: readonly TableFacts[]
  foreignKeys: readonly DefinedForeignKey[]
  /** Where Citus has tables already. */
  placed: ReadonlyMap<string, Placement>
  /** Of earlier runs. */
  writtenDown: WrittenDown
}

export interface Plan extends WrittenDown {
  tables: PlannedTable[]
  /** To be moved, in this order. */
  moves: PlannedTable[]
  /** Foreign keys to drop before tables are moved. */
  drop: DefinedForeignKey[]
  /** Those of them that cannot be held between nodes; rules of the service take their place. */
  end: DefinedForeignKey[]
  /** Keys that should be there now, and are not, because an earlier run was cut short. */
  missing: DefinedForeignKey[]
  /** Tables of which nothing is said where they belong, and tables that are elsewhere than they belong. */
  problems: string[]
}

export interface PlannedTable extends TableFacts {
  placement: Placement
  /** Where it belongs already. */
  done: boolean
}

/** What is to be done so that every table is where it belongs. */
export function planDistribution({ tables, foreignKeys, placed, writtenDown }: Installed): Plan {
  const known: Readonly<Record<string, Placement>> = placements
  const problems: string[] = []
  const planned: PlannedTable[] = []
  for (const facts of tables) {
    const placement = known[facts.name]
    const now = placed.get(facts.name) ?? { kind: 'local' as const }
    if (!placement) {
      problems.push(`${facts.name} is no table of this version of Questboard, which does not say where it belongs`)
      continue
    }
    const done = describePlacement(placement) === describePlacement(now)
    if (!done && now.kind !== 'local')
      problems.push(`${facts.name} is ${describePlacement(now)}; it belongs ${describePlacement(placement)}`)
    planned.push({ ...facts, placement, done })
  }
  // Columns together, so that the first table of each is what the others are put beside.
  const moves = planned
    .filter(({ done }) => !done)
    .toSorted((a, b) => describePlacement(b.placement).localeCompare(describePlacement(a.placement)))
  const moving = new Set(moves.map(({ name }) => name))
  const drop = foreignKeys.filter(({ table, target }) => moving.has(table) || moving.has(target))
  const there = new Set(foreignKeys.map(keyOf))
  const isMissing = (key: DefinedForeignKey) => !there.has(keyOf(key))
  const waiting = writtenDown.comeBack.filter(isMissing)
  const ended = writtenDown.ended.filter(isMissing)
  const end = drop.filter((key) => !canHold(key))
  // As long as all tables are on one server, those that ended belong there, too.
  const nothingMoved = [...placed.values()].every(({ kind }) => kind === 'local')
  return {
    tables: planned,
    moves,
    drop,
    comeBack: [...waiting, ...drop.filter((key) => canHold(key))],
    end,
    ended: [...ended, ...end],
    copies: [...new Set([...writtenDown.copies, ...moving])],
    missing: nothingMoved ? [...waiting, ...ended] : waiting,
    problems,
  }
}

/** A foreign key, whatever the table it leads to. */
export const keyOf = ({ table, name }: { table: string; name: string }) => `${table} ${name}`

/** Tables in an order in which each stands before those that it refers to. */
export function referringFirst(tables: readonly string[], foreignKeys: readonly ForeignKey[]): string[] {
  const ordered: string[] = []
  let left = new Set(tables)
  while (left.size > 0) {
    const referred = new Set(
      foreignKeys.filter(({ table, target }) => left.has(table) && table !== target).map(({ target }) => target),
    )
    const free = [...left].filter((table) => !referred.has(table))
    // Tables that refer to each other have no order.
    ordered.push(...(free.length > 0 ? free : left))
    left = free.length > 0 ? new Set([...left].filter((table) => referred.has(table))) : new Set()
  }
  return ordered
}

/** The plan as an operator reads it. */
export function describePlan({ tables, moves, end, missing }: Plan): string[] {
  const groups = Map.groupBy(tables, ({ placement }) => describePlacement(placement))
  const width = Math.max(...tables.map(({ name }) => name.length))
  const lines = [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([where, group]) => [
      '',
      group.length > 1 && where.startsWith('by ') ? `${where}, each value on one node:` : `${where}:`,
      ...group.map(
        ({ name, rows, bytes, done }) =>
          `  ${name.padEnd(width)}  ${done ? 'is there' : `${rowsOf(rows).padStart(19)}  ${sizeOf(bytes).padStart(9)}`}`,
      ),
    ])
  lines.push('', `${moves.length} of ${tables.length} tables are to be moved.`)
  if (moves.some(({ rows }) => rows === undefined))
    lines.push('PostgreSQL counts the rows of a table some time after it has grown, or at once when you say ANALYZE.')
  if (end.length > 0)
    lines.push('Foreign keys that end, because their tables will be on different nodes:', ...end.map(describeKey))
  if (missing.length > 0)
    lines.push('Foreign keys that an earlier run dropped and did not make again:', ...missing.map(describeKey))
  return lines.slice(1)
}

const describeKey = ({ table, columns, target }: ForeignKey) => `  ${table} (${columns.join(', ')}) → ${target}`

const rowsOf = (rows: number | undefined) =>
  rows === undefined ? 'not analysed yet' : `${Math.round(rows).toLocaleString('en')} rows`

function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

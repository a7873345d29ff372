import type { DefinedForeignKey, TableFacts } from './catalogue.queries.ts'
import { canHold, describePlacement, type Placement, placements } from './placements.ts'

/** What there is: read from the catalogue of a database. */
export interface Installed {
  tables: readonly TableFacts[]
  foreignKeys: readonly DefinedForeignKey[]
  /** Where Citus has tables already. */
  placed: ReadonlyMap<string, Placement>
  /** Foreign keys that an earlier run dropped and did not make again. */
  waitingKeys: readonly DefinedForeignKey[]
}

export interface Plan {
  tables: PlannedTable[]
  /** To be moved, in this order. */
  moves: PlannedTable[]
  /** Foreign keys to drop before tables are moved. */
  drop: DefinedForeignKey[]
  /** Those of them, and of an earlier run, that are made again in the end. */
  comeBack: DefinedForeignKey[]
  /** Those that cannot be held between nodes; rules of the service take their place. */
  end: DefinedForeignKey[]
  /** Tables of which nothing is said where they belong, and tables that are elsewhere than they belong. */
  problems: string[]
}

export interface PlannedTable extends TableFacts {
  placement: Placement
  /** Where it belongs already. */
  done: boolean
}

/** What is to be done so that every table is where it belongs. */
export function planDistribution({ tables, foreignKeys, placed, waitingKeys }: Installed): Plan {
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
  const missing = waitingKeys.filter((key) => !there.has(keyOf(key)))
  return {
    tables: planned,
    moves,
    drop,
    comeBack: [...missing, ...drop.filter((key) => canHold(key))],
    end: drop.filter((key) => !canHold(key)),
    problems,
  }
}

const keyOf = ({ table, name }: { table: string; name: string }) => `${table} ${name}`

/** The plan as an operator reads it. */
export function describePlan({ tables, moves, end }: Plan): string[] {
  const groups = Map.groupBy(tables, ({ placement }) => describePlacement(placement))
  const width = Math.max(...tables.map(({ name }) => name.length))
  const lines = [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([where, group]) => [
      '',
      group.length > 1 && where.startsWith('by ') ? `${where}, each value on one node:` : `${where}:`,
      ...group.map(
        ({ name, rows, bytes, done }) =>
          `  ${name.padEnd(width)}  ${done ? 'is there' : `${rowsOf(rows).padStart(14)} rows  ${sizeOf(bytes).padStart(9)}`}`,
      ),
    ])
  lines.push('', `${moves.length} of ${tables.length} tables are to be moved.`)
  if (end.length > 0)
    lines.push(
      'Foreign keys that end, because their tables will be on different nodes:',
      ...end.map(({ table, columns, target }) => `  ${table} (${columns.join(', ')}) → ${target}`),
    )
  return lines.slice(1)
}

const rowsOf = (rows: number) => (rows < 0 ? '?' : Math.round(rows).toLocaleString('en'))

function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

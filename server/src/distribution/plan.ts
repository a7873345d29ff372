import type { DefinedForeignKey, TableFacts } from './catalogue.queries.ts'
import { canHold, describePlacement, type ForeignKey, type Placement, placements } from './placements.ts'
import type { DistributionProgress } from './progress.queries.ts'

export interface Installed {
  tables: readonly TableFacts[]
  foreignKeys: readonly DefinedForeignKey[]
  placed: ReadonlyMap<string, Placement>
  progress: DistributionProgress
}

export interface Plan extends DistributionProgress {
  tables: PlannedTable[]
  /** The tables to move, in order. */
  moves: PlannedTable[]
  /** Foreign keys to drop before tables are moved. */
  drop: DefinedForeignKey[]
  /** Keys to drop that a cluster cannot enforce; the code of the service enforces them. */
  end: DefinedForeignKey[]
  /** Keys that an interrupted run has dropped and not created again. Before the first move, also the ended keys. */
  missing: DefinedForeignKey[]
  /** Tables without a defined placement, and tables with a wrong placement. */
  problems: string[]
}

export interface PlannedTable extends TableFacts {
  placement: Placement
  /** Whether the table already has its placement. */
  done: boolean
}

/** Compares the placement of all tables with the wanted one. */
export function planDistribution({ tables, foreignKeys, placed, progress }: Installed): Plan {
  const known: Readonly<Record<string, Placement>> = placements
  const problems: string[] = []
  const planned: PlannedTable[] = []
  for (const facts of tables) {
    const placement = known[facts.name]
    const now = placed.get(facts.name) ?? { kind: 'local' as const }
    if (!placement) {
      problems.push(`${facts.name} is not a table of this version of Questboard, so its placement is unknown`)
      continue
    }
    const done = describePlacement(placement) === describePlacement(now)
    if (!done && now.kind !== 'local')
      problems.push(
        `${facts.name} is placed ${describePlacement(now)}; it must be placed ${describePlacement(placement)}`,
      )
    planned.push({ ...facts, placement, done })
  }
  // Grouped by column, because the others are co-located with the first table of a group.
  const moves = planned
    .filter(({ done }) => !done)
    .toSorted((a, b) => describePlacement(b.placement).localeCompare(describePlacement(a.placement)))
  const moving = new Set(moves.map(({ name }) => name))
  const drop = foreignKeys.filter(({ table, target }) => moving.has(table) || moving.has(target))
  const there = new Set(foreignKeys.map(keyOf))
  const isMissing = (key: DefinedForeignKey) => !there.has(keyOf(key))
  const waiting = progress.comeBack.filter(isMissing)
  const ended = progress.ended.filter(isMissing)
  const end = drop.filter((key) => !canHold(key))
  // While no table has moved, the server can still enforce the ended keys.
  const nothingMoved = [...placed.values()].every(({ kind }) => kind === 'local')
  return {
    tables: planned,
    moves,
    drop,
    comeBack: [...waiting, ...drop.filter((key) => canHold(key))],
    end,
    ended: [...ended, ...end],
    copies: [...new Set([...progress.copies, ...moving])],
    missing: nothingMoved ? [...waiting, ...ended] : waiting,
    problems,
  }
}

export const keyOf = ({ table, name }: { table: string; name: string }) => `${table} ${name}`

/** Orders tables so that referring tables come before referenced ones. */
export function referringFirst(tables: readonly string[], foreignKeys: readonly ForeignKey[]): string[] {
  const ordered: string[] = []
  let left = new Set(tables)
  while (left.size > 0) {
    const referred = new Set(
      foreignKeys.filter(({ table, target }) => left.has(table) && table !== target).map(({ target }) => target),
    )
    const free = [...left].filter((table) => !referred.has(table))
    // Tables with circular references have no order.
    ordered.push(...(free.length > 0 ? free : left))
    left = free.length > 0 ? new Set([...left].filter((table) => referred.has(table))) : new Set()
  }
  return ordered
}

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
          `  ${name.padEnd(width)}  ${done ? 'already placed' : `${rowsOf(rows).padStart(19)}  ${sizeOf(bytes).padStart(9)}`}`,
      ),
    ])
  lines.push('', `${moves.length} of ${tables.length} tables must be moved.`)
  if (moves.some(({ rows }) => rows === undefined))
    lines.push('PostgreSQL updates row counts some time after a table grows, or when you run ANALYZE.')
  if (end.length > 0)
    lines.push('Foreign keys that end, because their tables will be on different nodes:', ...end.map(describeKey))
  if (missing.length > 0) lines.push('Foreign keys that an interrupted run dropped:', ...missing.map(describeKey))
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

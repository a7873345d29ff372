import type { ClientBase } from 'pg'
import { readForeignKeys, readTables } from './catalogue.queries.ts'
import {
  configureDatabase,
  makeDistributed,
  makeReference,
  readExtension,
  readPlaced,
  removeLocalCopy,
} from './cluster.queries.ts'
import { readUnshared, shareFunctions } from './functions.queries.ts'
import { describePlacement } from './placements.ts'
import { keyOf, type Plan, planDistribution, referringFirst } from './plan.ts'
import { addForeignKey, dropForeignKeys, forgetRun, readProgress, restoreDropped } from './progress.queries.ts'
import { noticeWrites, readUnnoticed } from './two-phases.queries.ts'

/** The reason why the installation cannot be distributed, for the operator. */
export class DistributionError extends Error {
  override name = 'DistributionError'
}

export interface PlanHere extends Plan {
  extension: 'made' | 'installed' | 'missing'
  /** The tables of the coordinator whose writes Citus does not notice yet (two-phases.queries.ts). */
  unnoticed: string[]
  /** The functions that Citus does not create on each node yet (functions.queries.ts). */
  unshared: string[]
}

/** The plan for this database. Works without Citus, to preview it. */
export async function readPlan(client: ClientBase): Promise<PlanHere> {
  const extension = await readExtension(client)
  const plan = planDistribution({
    tables: await readTables(client),
    foreignKeys: await readForeignKeys(client),
    placed: extension === 'made' ? await readPlaced(client) : new Map(),
    progress: await readProgress(client),
  })
  const hasCitus = extension === 'made'
  return {
    ...plan,
    extension,
    unnoticed: await readUnnoticed(client, hasCitus),
    unshared: await readUnshared(client, hasCitus),
  }
}

/**
 * Executes a plan. An interrupted run can be continued: each table is moved in its own transaction, and dropped foreign
 * keys are recorded. Local copies of moved rows are removed last.
 */
export async function distribute(client: ClientBase, plan: PlanHere, report: (line: string) => void): Promise<void> {
  await configureDatabase(client)
  await dropForeignKeys(client, plan.drop, plan)
  const firstOf = new Map<string, string>()
  for (const { name, placement, done } of plan.tables) if (done) firstOf.set(describePlacement(placement), name)
  for (const { name, placement } of plan.moves) {
    const where = describePlacement(placement)
    if (placement.kind === 'reference') await makeReference(client, name)
    else if (placement.kind !== 'local') {
      const column = placement.kind === 'distributed' ? placement.column : null
      await makeDistributed(client, name, column, firstOf.get(where))
    }
    if (!firstOf.has(where)) firstOf.set(where, name)
    report(`${name}: ${describePlacement(placement)}`)
  }
  for (const key of plan.comeBack) {
    await addForeignKey(client, key)
    report(`${key.table}: foreign key to ${key.target}`)
  }
  if (plan.unnoticed.length > 0) {
    await noticeWrites(client, plan.unnoticed)
    report(`${plan.unnoticed.length} tables of the coordinator: committed together with rows of other nodes`)
  }
  if (plan.unshared.length > 0) {
    await shareFunctions(client, plan.unshared)
    report(`${plan.unshared.length} functions: on every node`)
  }
  // Removes local copies only of tables that were moved. Referring tables come first, because the removal cascades to
  // them.
  if (plan.copies.length > 0) {
    const placed = await readPlaced(client)
    const moved = plan.copies.filter((name) => (placed.get(name)?.kind ?? 'local') !== 'local')
    for (const name of referringFirst(moved, await readForeignKeys(client))) {
      await removeLocalCopy(client, name)
      report(`${name}: removed local copies`)
    }
  }
  await forgetRun(client)
}

/**
 * Creates all dropped foreign keys again, including those that a cluster cannot enforce; all or none.
 * @throws DistributionError if tables are distributed, or if rows violate a key
 */
export async function restoreForeignKeys(client: ClientBase): Promise<number> {
  const placed = (await readExtension(client)) === 'made' ? await readPlaced(client) : new Map<string, never>()
  const spread = [...placed].filter(([, { kind }]) => kind !== 'local').map(([name]) => name)
  if (spread.length > 0)
    throw new DistributionError(
      `Nothing was changed: ${spread.length} tables are already distributed (${spread.join(', ')}). Run \`questboard database distribute\` again to continue, or undo it with undistribute_table first.`,
    )
  const there = new Set((await readForeignKeys(client)).map(keyOf))
  const { comeBack, ended } = await readProgress(client)
  const missing = [...comeBack, ...ended].filter((key) => !there.has(keyOf(key)))
  try {
    await restoreDropped(client, missing)
  } catch (error) {
    const { code, message, detail = '' } = error as { code?: string; message: string; detail?: string }
    if (code !== FOREIGN_KEY_VIOLATION) throw error
    throw new DistributionError(`Nothing was changed: ${message}. ${detail} Delete these rows and retry.`)
  }
  return missing.length
}

const FOREIGN_KEY_VIOLATION = '23503'

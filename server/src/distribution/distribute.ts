import type { ClientBase } from 'pg'
import { readForeignKeys, readTables } from './catalogue.queries.ts'
import { makeDistributed, makeReference, readExtension, readPlaced, removeLocalCopy } from './cluster.queries.ts'
import { describePlacement } from './placements.ts'
import { keyOf, type Plan, planDistribution, referringFirst } from './plan.ts'
import { addForeignKey, dropForeignKeys, forgetRun, readWrittenDown, restoreDropped } from './written-down.queries.ts'

/** Why an installation cannot be distributed, in words for the operator. */
export class DistributionError extends Error {
  override name = 'DistributionError'
}

/** What would be done here; also without Citus, to see what it would be. */
export async function readPlan(client: ClientBase): Promise<Plan & { extension: 'made' | 'installed' | 'missing' }> {
  const extension = await readExtension(client)
  const plan = planDistribution({
    tables: await readTables(client),
    foreignKeys: await readForeignKeys(client),
    placed: extension === 'made' ? await readPlaced(client) : new Map(),
    writtenDown: await readWrittenDown(client),
  })
  return { ...plan, extension }
}

/**
 * Carries a plan out. What is done stays when it is cut short, and the next plan goes on from there: each table is moved
 * in a transaction of its own, and foreign keys are written down before they are dropped. The rows that tables leave on
 * the coordinator are removed last, when everything else is done.
 */
export async function distribute(client: ClientBase, plan: Plan, tell: (line: string) => void): Promise<void> {
  await dropForeignKeys(client, plan.drop, plan)
  const firstOf = new Map<string, string>()
  for (const { name, placement, done } of plan.tables)
    if (done && placement.kind === 'distributed') firstOf.set(placement.column, name)
  for (const { name, placement } of plan.moves) {
    if (placement.kind === 'reference') await makeReference(client, name)
    if (placement.kind === 'distributed') {
      await makeDistributed(client, name, placement.column, firstOf.get(placement.column))
      if (!firstOf.has(placement.column)) firstOf.set(placement.column, name)
    }
    tell(`${name}: ${describePlacement(placement)}`)
  }
  for (const key of plan.comeBack) {
    await addForeignKey(client, key)
    tell(`${key.table}: foreign key to ${key.target}`)
  }
  // Only of tables that are elsewhere for certain; those that refer to others first, because it goes on to who refers.
  if (plan.copies.length > 0) {
    const placed = await readPlaced(client)
    const moved = plan.copies.filter((name) => (placed.get(name)?.kind ?? 'local') !== 'local')
    for (const name of referringFirst(moved, await readForeignKeys(client))) {
      await removeLocalCopy(client, name)
      tell(`${name}: nothing is left of it outside its shards`)
    }
  }
  await forgetRun(client)
}

/**
 * Makes every foreign key again that runs have dropped, also those that cannot be held between nodes; all or none.
 * @throws DistributionError when tables are distributed, or when rows have come since that a key does not allow
 */
export async function restoreForeignKeys(client: ClientBase): Promise<number> {
  const placed = (await readExtension(client)) === 'made' ? await readPlaced(client) : new Map<string, never>()
  const spread = [...placed].filter(([, { kind }]) => kind !== 'local').map(([name]) => name)
  if (spread.length > 0)
    throw new DistributionError(
      `Nothing was changed: ${spread.length} tables are distributed already (${spread.join(', ')}). Run questboard database distribute again, which goes on, or bring them back with undistribute_table first.`,
    )
  const there = new Set((await readForeignKeys(client)).map(keyOf))
  const { comeBack, ended } = await readWrittenDown(client)
  const missing = [...comeBack, ...ended].filter((key) => !there.has(keyOf(key)))
  try {
    await restoreDropped(client, missing)
  } catch (error) {
    const { code, message, detail = '' } = error as { code?: string; message: string; detail?: string }
    if (code !== FOREIGN_KEY_VIOLATION) throw error
    throw new DistributionError(`Nothing was changed: ${message}. ${detail} Delete these rows, and try again.`)
  }
  return missing.length
}

const FOREIGN_KEY_VIOLATION = '23503'

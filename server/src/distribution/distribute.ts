import type { ClientBase } from 'pg'
import {
  addForeignKey,
  dropForeignKeys,
  forgetWaitingKeys,
  makeDistributed,
  makeReference,
  readExtension,
  readForeignKeys,
  readPlaced,
  readTables,
  readWaitingKeys,
} from './catalogue.queries.ts'
import { describePlacement } from './placements.ts'
import { type Plan, planDistribution } from './plan.ts'

/** Why an installation cannot be distributed, in words for the operator. */
export class DistributionError extends Error {}

const manual = 'docs/scale.md, "A distributed engine", says how.'

/** What would be done here; also without Citus, to see what it would be. */
export async function readPlan(client: ClientBase): Promise<Plan & { extension: 'made' | 'installed' | 'missing' }> {
  const extension = await readExtension(client)
  const plan = planDistribution({
    tables: await readTables(client),
    foreignKeys: await readForeignKeys(client),
    placed: extension === 'made' ? await readPlaced(client) : new Map(),
    waitingKeys: await readWaitingKeys(client),
  })
  return { ...plan, extension }
}

/** @throws DistributionError when the plan cannot be carried out here */
export function requireDistributable({ extension, problems }: Awaited<ReturnType<typeof readPlan>>): void {
  if (extension === 'missing')
    throw new DistributionError(
      `This PostgreSQL has no Citus. Install the package of Citus for its version on every node, add citus to shared_preload_libraries, restart, and CREATE EXTENSION citus in this database. ${manual}`,
    )
  if (extension === 'installed')
    throw new DistributionError(
      `Citus is installed, but not in this database: CREATE EXTENSION citus here and on every worker. ${manual}`,
    )
  if (problems.length > 0) throw new DistributionError(`Nothing was changed: ${problems.join('; ')}.`)
}

/**
 * Carries a plan out. What is done stays when it is cut short, and the next plan goes on from there: each table is moved
 * in a transaction of its own, and foreign keys that come back in the end are written down before they are dropped.
 */
export async function distribute(client: ClientBase, plan: Plan, tell: (line: string) => void): Promise<void> {
  if (plan.drop.length > 0 || plan.comeBack.length > 0) await dropForeignKeys(client, plan.drop, plan.comeBack)
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
  await forgetWaitingKeys(client)
}

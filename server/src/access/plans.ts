import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { insertPlan, listPlans, type PlanLimits, upsertPlan } from './plans.queries.ts'

/** The plan of the demo token, with limits that visitors do not reach. */
export const DEMO_PLAN = 'demo'
const DEMO_LIMITS = { perSecond: 200, perDay: 200_000 }

/** Each start of the service sets the limits of these plans from its settings. */
export const PLANS_FROM_SETTINGS: readonly string[] = ['free', DEMO_PLAN, 'unlimited']

type FreePlan = Pick<Config, 'freePlan'>

/** Updates the plans from the settings; tokens use the new limits at their next request. */
export async function ensurePlans(database: Pick<Database, 'kysely'>, config: FreePlan): Promise<void> {
  // On a cluster, each write waits for all nodes.
  const stored = new Map((await listPlans(database.kysely)).map((one) => [one.plan, one]))
  for (const [plan, limits] of plansOf(config)) {
    const { perSecond, perDay } = stored.get(plan) ?? {}
    if (perSecond !== limits.perSecond || perDay !== limits.perDay) await upsertPlan(database.kysely, plan, limits)
  }
}

/**
 * Adds missing plans without changing existing ones. For commands, whose settings may differ from those of the service.
 */
export async function addMissingPlans(database: Pick<Database, 'kysely'>, config: FreePlan): Promise<void> {
  for (const [plan, limits] of plansOf(config)) await insertPlan(database.kysely, { plan, ...limits, open: false })
}

const plansOf = ({ freePlan }: FreePlan): [string, PlanLimits][] => [
  ['free', freePlan],
  [DEMO_PLAN, DEMO_LIMITS],
  ['unlimited', { perSecond: null, perDay: null }],
]

import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { insertPlan, type PlanLimits, upsertPlan } from './plans.queries.ts'

/** For the demo token, so that whoever explores is not stopped on the way. */
export const DEMO_PLAN = 'demo'
const DEMO_LIMITS = { perSecond: 200, perDay: 200_000 }

/** Their limits are those of the service's settings at every start. */
export const PLANS_FROM_SETTINGS: readonly string[] = ['free', DEMO_PLAN, 'unlimited']

type FreePlan = Pick<Config, 'freePlan'>

/** Brings the plans in line with the settings of the service; tokens follow their plan with the next request. */
export async function ensurePlans(database: Pick<Database, 'kysely'>, config: FreePlan): Promise<void> {
  for (const [plan, limits] of plansOf(config)) await upsertPlan(database.kysely, plan, limits)
}

/** Adds the plans that no start has written yet. A command calls this: its settings need not be those of the service. */
export async function addMissingPlans(database: Pick<Database, 'kysely'>, config: FreePlan): Promise<void> {
  for (const [plan, limits] of plansOf(config)) await insertPlan(database.kysely, { plan, ...limits, open: false })
}

const plansOf = ({ freePlan }: FreePlan): [string, PlanLimits][] => [
  ['free', freePlan],
  [DEMO_PLAN, DEMO_LIMITS],
  ['unlimited', { perSecond: null, perDay: null }],
]

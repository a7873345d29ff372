import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { upsertPlan } from './plans.queries.ts'

/** For the demo token, so that whoever explores is not stopped on the way. */
export const DEMO_PLAN = 'demo'
const DEMO_LIMITS = { perSecond: 200, perDay: 200_000 }

/** Their limits are those of the settings at every start. */
export const PLANS_FROM_SETTINGS: readonly string[] = ['free', DEMO_PLAN, 'unlimited']

/** Brings the plans in line with the settings; tokens follow their plan with the next request. */
export async function ensurePlans(database: Pick<Database, 'kysely'>, config: Pick<Config, 'freePlan'>): Promise<void> {
  await upsertPlan(database.kysely, 'free', config.freePlan)
  await upsertPlan(database.kysely, DEMO_PLAN, DEMO_LIMITS)
  await upsertPlan(database.kysely, 'unlimited', { perSecond: null, perDay: null })
}

import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface PlanLimits {
  /** Queries per second and per UTC day for each token; null means unlimited. */
  perSecond: number | null
  perDay: number | null
}

export interface Plan extends PlanLimits {
  plan: string
  /** Whether accounts can choose the plan for their tokens. */
  open: boolean
}

export async function planNames(db: Kysely<DB>): Promise<string[]> {
  const rows = await db.selectFrom('plans').select('plan').orderBy('plan').execute()
  return rows.map((row) => row.plan)
}

export async function listPlans(db: Kysely<DB>): Promise<Plan[]> {
  return db
    .selectFrom('plans')
    .select((row) => [
      'plan',
      'per_second as perSecond',
      'per_day as perDay',
      row.or([row('open', '=', true), row('plan', '=', 'free')]).as('open'),
    ])
    .orderBy('plan')
    .execute() as Promise<Plan[]>
}

/** The number of valid tokens by plan. */
export async function countTokensByPlan(db: Kysely<DB>, now: Date): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('server_tokens')
    .select(({ fn }) => ['plan', fn.countAll<number>().as('count')])
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .groupBy('plan')
    .execute()
  return new Map(rows.map(({ plan, count }) => [plan, count]))
}

/** Creates or updates a plan; `open` changes only if it is given. */
export async function upsertPlan(
  db: Kysely<DB>,
  plan: string,
  { perSecond, perDay, open }: PlanLimits & { open?: boolean },
): Promise<void> {
  const values = { per_second: perSecond, per_day: perDay, ...(open !== undefined && { open }) }
  await db
    .insertInto('plans')
    .values({ plan, ...values })
    .onConflict((conflict) => conflict.column('plan').doUpdateSet(values))
    .execute()
}

/** Creates a plan. Returns false if the name exists. */
export async function insertPlan(db: Kysely<DB>, { plan, perSecond, perDay, open }: Plan): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('plans')
    .values({ plan, per_second: perSecond, per_day: perDay, open })
    .onConflict((conflict) => conflict.column('plan').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes a plan that no token has used. Returns false if there is no such plan. */
export async function deletePlan(db: Kysely<DB>, plan: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('plans')
    .where('plan', '=', plan)
    .where((row) =>
      row.not(
        row.exists(
          row.selectFrom('server_tokens').select('token_id').whereRef('server_tokens.plan', '=', 'plans.plan'),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

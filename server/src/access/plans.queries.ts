import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface PlanLimits {
  /** Queries per second and per UTC day of one token; null: without a limit. */
  perSecond: number | null
  perDay: number | null
}

export interface Plan extends PlanLimits {
  plan: string
  /** Whether accounts may choose it for their tokens. */
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

/** How many tokens that work each plan has: neither revoked nor expired. */
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

/** Sets the limits of a plan, making it when there is none; whether accounts may choose it only when that is told. */
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

/** Makes a plan; false when there is one of the name, which stays as it is. */
export async function insertPlan(db: Kysely<DB>, { plan, perSecond, perDay, open }: Plan): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('plans')
    .values({ plan, per_second: perSecond, per_day: perDay, open })
    .onConflict((conflict) => conflict.column('plan').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes a plan that no token has ever had; false when there is none of the kind. */
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

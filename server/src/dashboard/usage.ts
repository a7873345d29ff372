import type { FastifyInstance } from 'fastify'
import { listPlans } from '../access/plans.queries.ts'
import { listServerTokens } from '../access/server-tokens.ts'
import { readUsage } from '../access/usage.queries.ts'
import { DAY } from '../clock.ts'
import { invalidField } from '../api/api-error.ts'
import { requireSession } from '../sessions/session.ts'
import type { Services } from '../services.ts'
import { tokenOperations } from './operations.ts'

const MAX_USAGE_DAYS = 90
const DEFAULT_USAGE_DAYS = 30

/** `/api/usage`: what the tokens of the account were used for, beside what they may ask. */
export function registerUsage(scope: FastifyInstance, services: Services): void {
  scope.get('/api/usage', tokenOperations.usage, async (request) => {
    const { accountId } = await requireSession(services, request)
    const since = sinceDay(services, request.query)
    const tokens = await listServerTokens(services.database, accountId)
    const plans = await listPlans(services.database.kysely)
    const usage = await Promise.all(
      tokens.map(async ({ tokenId, name, plan }) => {
        const { perSecond = null, perDay = null } = plans.find((known) => known.plan === plan) ?? {}
        const days = await readUsage(services.database.kysely, tokenId, since)
        return {
          tokenId,
          name,
          quota: { plan, perSecond, perDay },
          days: days.map(({ day, operation, status, requests }) => ({ day, operation, status, requests })),
        }
      }),
    )
    return { since, usage }
  })
}

function sinceDay(services: Services, query: unknown): string {
  const { days = String(DEFAULT_USAGE_DAYS) } = query as { days?: unknown }
  if (typeof days !== 'string' || !/^\d{1,2}$/.test(days) || Number(days) < 1 || Number(days) > MAX_USAGE_DAYS)
    throw invalidField('days', `must be 1 to ${MAX_USAGE_DAYS}`)
  return new Date(services.clock.now() - (Number(days) - 1) * DAY).toISOString().slice(0, 10)
}

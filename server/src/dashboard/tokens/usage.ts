import type { FastifyInstance } from 'fastify'
import { LATENCY_BOUNDS } from '../../access/latency.ts'
import { listPlans } from '../../access/plans.queries.ts'
import { listServerTokens } from '../../access/server-tokens.ts'
import { readUsage, readUsageOfAll } from '../../access/usage.queries.ts'
import { route } from '../../api/route.ts'
import { cachedFor } from '../../cache/cached-for.ts'
import { ALL_USAGE_LIFETIME } from '../../lifetimes.ts'
import type { Services } from '../../services.ts'
import { operatorDescriptions } from '../operator/route-descriptions.ts'
import { tokenDescriptions } from './token-route-descriptions.ts'
import { firstDay } from './usage-days.ts'

/** `/api/usage`: the usage of the account's tokens, with their quotas. `/api/operator/usage`: of all tokens. */
export function registerUsage(scope: FastifyInstance, services: Services): void {
  route(scope, services, tokenDescriptions.usage, async ({ services, accountId, query: days }) => {
    const since = firstDay(services.clock.now(), days)
    const tokens = await listServerTokens(services.database, accountId)
    const plans = await listPlans(services.database.kysely)
    const usage = await Promise.all(
      tokens.map(async ({ tokenId, name, plan }) => {
        const { perSecond = null, perDay = null } = plans.find((known) => known.plan === plan) ?? {}
        const used = await readUsage(services.database.kysely, tokenId, since)
        return {
          tokenId,
          name,
          quota: { plan, perSecond, perDay },
          days: used.map(({ day, operation, status, requests, latencies }) => ({
            day,
            operation,
            status,
            requests,
            latencies,
          })),
        }
      }),
    )
    return { since, latencyBounds: LATENCY_BOUNDS, usage }
  })

  const { clock, database } = services
  const readOfAll = async (days: number) => {
    const since = firstDay(clock.now(), days)
    return { since, latencyBounds: LATENCY_BOUNDS, days: await readUsageOfAll(database.kysely, since) }
  }
  /** By number of days. */
  const ofAll = new Map<number, () => ReturnType<typeof readOfAll>>()

  route(scope, services, operatorDescriptions.usage, ({ query: days }) => {
    const kept = ofAll.get(days) ?? cachedFor(ALL_USAGE_LIFETIME, clock, () => readOfAll(days))
    ofAll.set(days, kept)
    return kept()
  })
}

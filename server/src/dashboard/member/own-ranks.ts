import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { DAY } from '../../clock.ts'
import { readSlugs } from '../../public-pages/space-pages.queries.ts'
import { readMembers } from '../../resolvers/space/member-rank.queries.ts'
import { percentileOf } from '../../resolvers/space/space.rules.ts'
import { type OwnBalance, readBalances } from '../../ledger/own-points.queries.ts'
import { readRankDays } from '../../ranking/rank-days.queries.ts'
import { questReadsByAccount } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'
import { findMembers } from '../../search/search.queries.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import { ownMembers } from './own-members.ts'
import { MAX_RANKS, ownRankDescriptions } from './own-rank-route-descriptions.ts'

const SHOWN_DAYS = 30
const OVERALL = 0

/** `/api/my/ranks`: the ranks of the signed-in account. */
export function registerOwnRanks(scope: FastifyInstance, services: Services): void {
  const { clock, database } = services

  route(scope, services, ownRankDescriptions.list, async ({ accountId }) => {
    await limitByAccount(services, questReadsByAccount, accountId)
    const highest = await readBalances(database.kysely, await ownMembers(services, accountId), {
      by: 'points',
      limit: MAX_RANKS,
    })
    const slugs = await readSlugs(database.kysely, [...new Set(highest.map(({ spaceId }) => spaceId))])
    const since = new Date(clock.now() - SHOWN_DAYS * DAY).toISOString().slice(0, 10)
    const list = await Promise.all(highest.map(async (balance) => rankOf(balance, slugs, since)))
    return { list: list.filter((one) => one !== undefined) }
  })

  async function rankOf({ spaceId, space, address }: OwnBalance, slugs: Map<number, string>, since: string) {
    const [[member], [named], days] = await Promise.all([
      readMembers(database, spaceId, OVERALL, [address]),
      findMembers(database.kysely, spaceId, { addresses: [address], beginnings: [], limit: 1 }),
      readRankDays(database.kysely, { spaceId, sprintId: OVERALL }, address),
    ])
    // It left the board in the meantime.
    if (!member || member.rank === null || member.points === null) return undefined
    const { rank, points, total } = member
    return {
      space: { id: String(spaceId), name: space, slug: slugs.get(spaceId) ?? null },
      address,
      username: named?.username ?? '',
      rank,
      points,
      members: total,
      percentile: percentileOf(rank, total),
      days: days.filter(({ day }) => day >= since),
    }
  }
}

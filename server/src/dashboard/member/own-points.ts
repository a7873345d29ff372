import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { notFound } from '../../errors.ts'
import { newestVersion } from '../../ledger/entries.queries.ts'
import { idOf, toEntry } from '../../ledger/entry.ts'
import { entriesBefore, readBalances } from '../../ledger/own-points.queries.ts'
import { questReadsByAccount } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import { ownMembers } from './own-members.ts'
import { ownEntryFields, ownPointsDescriptions } from './own-points-route-descriptions.ts'

const MAX_BALANCES = 500

/** `/api/my/points…`: points of the signed-in account, with the reasons of changes. */
export function registerOwnPoints(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, ownPointsDescriptions.spaces, async ({ accountId }) => {
    await limitByAccount(services, questReadsByAccount, accountId)
    const balances = await readBalances(kysely, await ownMembers(services, accountId), {
      by: 'name',
      limit: MAX_BALANCES + 1,
    })
    return {
      list: balances.slice(0, MAX_BALANCES).map(({ spaceId, space, address, points }) => ({
        space: { id: String(spaceId), name: space },
        address,
        points,
      })),
      complete: balances.length <= MAX_BALANCES,
    }
  })

  route(
    scope,
    services,
    ownPointsDescriptions.history,
    async ({ accountId, params: { id }, query: { first, after } }) => {
      await limitByAccount(services, questReadsByAccount, accountId)
      if ((await newestVersion(kysely, id)) === undefined) throw notFound('Space')
      const addresses = await ownMembers(services, accountId)
      const rows = await entriesBefore(kysely, { spaceId: id, addresses }, after, first + 1)
      const list = rows.slice(0, first).map((row) => {
        const entry = toEntry(row)
        return Object.fromEntries(ownEntryFields.map((field) => [field, entry[field]]))
      })
      const last = rows.length > first ? rows[first - 1] : undefined
      return { list, next: last ? idOf(last) : null }
    },
  )
}

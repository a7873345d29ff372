import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import { AREAS } from '../../graphql/context.ts'
import { notFound } from '../../errors.ts'
import { route } from '../../api/route.ts'
import type { Services } from '../../services.ts'
import { PLACES_WITH_HISTORY } from '../../ranking/rank-days.ts'
import { readRankDays } from '../../ranking/rank-days.queries.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import { searchesByAccount } from '../../rate-limits/limits.ts'
import { findQuests } from '../../search/search.queries.ts'
import { publicLogoPath } from '../../public-pages/space-logo.ts'
import { findLogos, listEntries, listSprints } from './explore.queries.ts'
import { entryKinds, exploreDescriptions, noSprint } from './explore-route-descriptions.ts'
import { listedEntries } from './listed-entries.ts'

const MAX_ENTRIES = 500
const PAGE_SIZE = 50

/** The part of `POST /query` after authentication. */
export type AnswerQuery = (request: IncomingMessage, response: ServerResponse, caller: Caller) => Promise<void>

/** `/api/explore…`: lists for the pages that GraphQL does not have. */
export function registerExplore(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, exploreDescriptions.list, async ({ accountId }) => {
    const listed = await Promise.all(
      entryKinds.map(async (table) => {
        const found = await listEntries(kysely, table, { ownerAccountId: accountId, limit: MAX_ENTRIES + 1 })
        return { table, entries: found.slice(0, MAX_ENTRIES), complete: found.length <= MAX_ENTRIES }
      }),
    )
    return {
      ...Object.fromEntries(listed.map(({ table, entries }) => [table, entries])),
      complete: listed.every(({ complete }) => complete),
    }
  })

  route(scope, services, exploreDescriptions.search, async ({ params: { kind }, query: { search, after } }) => {
    const found = await listedEntries[kind](kysely, { search, after, limit: PAGE_SIZE + 1 })
    const list = found.slice(0, PAGE_SIZE)
    return { list, next: found.length > PAGE_SIZE ? (list.at(-1)?.id ?? null) : null }
  })

  route(scope, services, exploreDescriptions.quests, async ({ accountId, query: { search, status } }) => {
    await limitByAccount(services, searchesByAccount, accountId)
    const found = await findQuests(kysely, search, { accountId, status, limit: PAGE_SIZE + 1 })
    const list = found.slice(0, PAGE_SIZE).map((quest) => {
      const { id, name, status, loyaltyPoints, participantsCount, endTime, spaceId, spaceName } = quest
      const space = { id: String(spaceId), name: spaceName }
      return { id, name, status, loyaltyPoints, participantsCount, endTime: endTime?.toISOString() ?? null, space }
    })
    return { list, complete: found.length <= PAGE_SIZE }
  })

  route(scope, services, exploreDescriptions.logos, async ({ query: { spaces } }) => {
    const found = await findLogos(kysely, spaces)
    return { logos: Object.fromEntries(found.map(({ spaceId, ...logo }) => [spaceId, publicLogoPath(logo) ?? ''])) }
  })

  route(scope, services, exploreDescriptions.sprints, async ({ params }) => {
    const sprints = await listSprints(kysely, params.id)
    if (!sprints) throw notFound('Space')
    return { sprints }
  })

  route(scope, services, exploreDescriptions.ranks, async ({ params, query: { address, sprintId } }) => {
    const board = { spaceId: params.id, sprintId }
    const sprints = await listSprints(kysely, board.spaceId)
    if (!sprints) throw notFound('Space')
    if (sprintId !== 0 && !sprints.some((sprint) => sprint.sprintId === sprintId)) throw noSprint(sprintId)
    return { days: await readRankDays(kysely, board, address), places: PLACES_WITH_HISTORY }
  })
}

/**
 * `POST /api/query`: a query with the session instead of a token. It can read all areas, since the account could create
 * such a token. Data for owners depends only on the account.
 */
export function registerSessionQuery(scope: FastifyInstance, services: Services, answerQuery: AnswerQuery): void {
  void scope.register(async (raw) => {
    // The query path reads the body as bytes.
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _body, done) => done(null))
    route(raw, services, exploreDescriptions.query, async ({ request, reply, accountId }) => {
      void reply.hijack()
      // Quota windows are counted by token id; account ids never equal token ids.
      await answerQuery(request.raw, reply.raw, {
        tokenId: accountId,
        accountId,
        areas: AREAS,
        ...services.config.freePlan,
      })
    })
  })
}

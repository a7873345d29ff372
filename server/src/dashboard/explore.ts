import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../access/authenticate.ts'
import { withinLength } from '../text/characters.ts'
import { AREAS } from '../graphql/context.ts'
import { invalidField, notFound } from '../api/api-error.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { requireSession } from '../sessions/session.ts'
import type { Services } from '../services.ts'
import { PLACES_WITH_HISTORY } from '../ranking/rank-days.ts'
import { readRankDays } from '../ranking/rank-days.queries.ts'
import { type EntryKind, listEntries, listSprints, searchEntries } from './explore.queries.ts'
import { exploreOperations } from './explore-operations.ts'

const MOST_ENTRIES = 500
const PAGE_SIZE = 50
const MAX_SEARCH = 100
const kinds: readonly EntryKind[] = ['spaces', 'starboards', 'credentials']
const MAX_ID = 2_147_483_647
const MAX_ADDRESS = 90

/** What `POST /query` does once it knows who asks. */
export type AnswerQuery = (request: IncomingMessage, response: ServerResponse, caller: Caller) => Promise<void>

/** `/api/explore…`: what the pages show beside GraphQL: what there is, the sprints of a space, the past of a rank. */
export function registerExplore(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  scope.get('/api/explore', exploreOperations.list, async (request) => {
    const { accountId } = await requireSession(services, request)
    const listed = await Promise.all(
      kinds.map(async (table) => {
        const found = await listEntries(kysely, table, { ownerAccountId: accountId, limit: MOST_ENTRIES + 1 })
        return { table, entries: found.slice(0, MOST_ENTRIES), complete: found.length <= MOST_ENTRIES }
      }),
    )
    return {
      ...Object.fromEntries(listed.map(({ table, entries }) => [table, entries])),
      complete: listed.every(({ complete }) => complete),
    }
  })

  scope.get<{ Params: { kind: string } }>('/api/explore/:kind', exploreOperations.search, async (request) => {
    await requireSession(services, request)
    const kind = kinds.find((known) => known === request.params.kind)
    if (!kind) throw notFound('Kind')
    const { search = '', after } = request.query as Record<string, unknown>
    if (typeof search !== 'string' || !withinLength(search, MAX_SEARCH) || search.includes('\0'))
      throw invalidField('search', `must be at most ${MAX_SEARCH} characters`)
    const found = await searchEntries(kysely, kind, {
      search: search.trim(),
      after: readPlace(kind, after),
      limit: PAGE_SIZE + 1,
    })
    const list = found.slice(0, PAGE_SIZE)
    return { list, next: found.length > PAGE_SIZE ? (list.at(-1)?.id ?? null) : null }
  })

  scope.get<{ Params: { id: string } }>(
    '/api/explore/spaces/:id/sprints',
    exploreOperations.sprints,
    async (request) => {
      await requireSession(services, request)
      const sprints = await listSprints(kysely, readSpaceId(request.params.id))
      if (!sprints) throw notFound('Space')
      return { sprints }
    },
  )

  scope.get<{ Params: { id: string } }>('/api/explore/spaces/:id/ranks', exploreOperations.ranks, async (request) => {
    await requireSession(services, request)
    const { address, sprintId } = request.query as Record<string, unknown>
    if (typeof address !== 'string' || address === '' || !withinLength(address, MAX_ADDRESS) || address.includes('\0'))
      throw invalidField('address', `must be 1 to ${MAX_ADDRESS} characters`)
    const board = { spaceId: readSpaceId(request.params.id), sprintId: readSprintId(sprintId) }
    const sprints = await listSprints(kysely, board.spaceId)
    if (!sprints) throw notFound('Space')
    if (board.sprintId !== 0 && !sprints.some((sprint) => sprint.sprintId === board.sprintId)) throw noSprint()
    return { days: await readRankDays(kysely, board, address), places: PLACES_WITH_HISTORY }
  })
}

/**
 * `POST /api/query`: the query path with the session in place of a token. The account could make itself a token that
 * reads every area, so it reads every area; what only an owner may see depends on the account alone.
 */
export function registerSessionQuery(scope: FastifyInstance, services: Services, answerQuery: AnswerQuery): void {
  void scope.register(async (raw) => {
    // The query path reads the body itself, as bytes.
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _body, done) => done(null))
    raw.post('/api/query', exploreOperations.query, async (request, reply) => {
      checkCsrf(services, request)
      const { accountId } = await requireSession(services, request)
      void reply.hijack()
      // The window of a quota bears the id of a token; an account has none in common with any.
      await answerQuery(request.raw, reply.raw, {
        tokenId: accountId,
        accountId,
        areas: AREAS,
        ...services.config.freePlan,
      })
    })
  })
}

const places: Record<EntryKind, RegExp> = {
  spaces: /^[1-9]\d{0,9}$/,
  starboards: /^[A-Za-z0-9_-]{1,100}$/,
  credentials: /^\d{1,20}$/,
}

function readPlace(kind: EntryKind, after: unknown): string | undefined {
  if (after === undefined) return undefined
  if (typeof after !== 'string' || !places[kind].test(after))
    throw invalidField('after', 'must be the `next` of a page')
  return after
}

function readSpaceId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > MAX_ID) throw notFound('Space')
  return Number(text)
}

function readSprintId(value: unknown): number {
  if (value === undefined) return 0
  if (typeof value !== 'string' || !/^[1-9]\d{0,9}$/.test(value) || Number(value) > MAX_ID) throw noSprint()
  return Number(value)
}

const noSprint = () => invalidField('sprintId', 'must be the number of a sprint of the space')

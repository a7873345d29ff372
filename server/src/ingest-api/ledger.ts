import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Dependencies } from '../services.ts'
import { idOf, readEntryId, toEntry } from '../ledger/entry.ts'
import { linesOf } from '../ledger/export.ts'
import { filterParameters, type LedgerFilter, readFilter } from '../ledger/filter.ts'
import { readAll, readPage } from '../ledger/read-entries.ts'
import { requireObject } from '../objects/objects.ts'
import { callerOf } from './admit.ts'
import { describeLedger } from './describe-ledger.ts'
import { invalidRequest } from './ingest-error.ts'
import { NDJSON_TYPE } from './limits.ts'

type Request = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

const MAX_PAGE = 1_000
const parameters = [...Object.keys(filterParameters), 'first', 'after']

/** `GET /ingest/v1/spaces/{id}/ledger`: the entries of a space that the token may write. */
export function registerLedger(scope: FastifyInstance, deps: Dependencies): void {
  const { kysely } = deps.database

  scope.get('/spaces/:id/ledger', { config: { api: describeLedger } }, async (request: Request, reply) => {
    const unknown = Object.keys(request.query).find((name) => !parameters.includes(name))
    if (unknown !== undefined)
      throw invalidRequest(`${unknown.slice(0, 100)} is not a parameter; allowed: ${parameters.join(', ')}`, unknown)
    const { first, after, ...filters } = request.query
    const { spaceId = 0 } = await requireObject(deps, 'space', request.params.id, callerOf(request).scope)
    const filter = readFilter(spaceId, filters)
    const from = { after: readAfter(after) }
    if (acceptsLines(request)) {
      if (first !== undefined) throw invalidRequest('first applies only to pages of JSON', 'first')
      return reply.type(NDJSON_TYPE).send(await streamOf(deps, filter, from))
    }
    const { entries, next } = await readPage(kysely, filter, { ...from, first: readFirst(first) })
    return { items: entries.map(toEntry), next: next ? idOf(next) : null }
  })
}

const acceptsLines = ({ headers }: FastifyRequest) => headers.accept?.toLowerCase().includes(NDJSON_TYPE) ?? false

function readFirst(first: unknown): number {
  if (first === undefined) return 100
  if (typeof first !== 'string' || !/^[1-9][0-9]{0,3}$/.test(first) || Number(first) > MAX_PAGE)
    throw invalidRequest(`first must be a whole number from 1 to ${MAX_PAGE}`, 'first')
  return Number(first)
}

function readAfter(after: unknown) {
  if (after === undefined) return undefined
  const place = typeof after === 'string' ? readEntryId(after) : undefined
  if (!place) throw invalidRequest('after must be the id of an entry, or the `next` of a page', 'after')
  return place
}

/** One entry a line. The first ones are read before the response begins, so that an error has its status. */
async function streamOf(deps: Dependencies, filter: LedgerFilter, from: Parameters<typeof readAll>[2]) {
  const pages = readAll(deps.database.kysely, filter, from)
  const first = await pages.next()
  return Readable.from(
    (async function* () {
      if (first.done) return
      yield linesOf('ndjson', first.value)
      for await (const entries of pages) yield linesOf('ndjson', entries)
    })(),
  )
}

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Dependencies } from '../services.ts'
import { entryShape, idOf, readEntryId, toEntry } from '../ledger/entry.ts'
import { linesOf } from '../ledger/export.ts'
import { filterParameters, type LedgerFilter, readFilter } from '../ledger/filter.ts'
import { readAll, readPage } from '../ledger/read-entries.ts'
import { schemaOf } from '../api/json-schema.ts'
import type { ParameterDescription } from '../api/parameters.ts'
import { jsonContent } from '../api/route-description.ts'
import { requireObject } from '../objects/objects.ts'
import { invalidRequest } from './ingest-error.ts'
import { NDJSON_TYPE } from './limits.ts'
import { afterParameter, firstParameter, pageOf } from './parameters.ts'
import { ingestRoute } from './route.ts'

const filter = (name: keyof typeof filterParameters, example: string) => ({
  description: filterParameters[name],
  example,
})
const filters = {
  address: filter('address', '0x52908400098527886e0f7030069857d2e4169ee7'),
  sprintId: filter('sprintId', '0'),
  source: filter('source', 'award,reversal'),
  from: filter('from', '2026-11-01T00:00:00Z'),
  to: filter('to', '2026-12-01T00:00:00Z'),
} satisfies Record<keyof typeof filterParameters, ParameterDescription>

const { byDefault: PAGE_SIZE, ...firstOfPage } = firstParameter

/** `GET /ingest/v1/spaces/{id}/ledger`: the entries of a space that the token may write. */
export function registerLedger(scope: FastifyInstance, deps: Dependencies): void {
  ingestRoute(
    scope,
    {
      method: 'GET',
      path: '/spaces/:id/ledger',
      tag: 'spaces',
      summary: 'Read the ledger of a space',
      description:
        'The changes of points, oldest first. With `Accept: application/x-ndjson`, the response is a stream of all entries after `after`, one per line. Otherwise it is a page. A page can have fewer entries than `first`, or none, while `next` is not null, because a request reads a limited number of entries. To read new entries later, send the id of the last entry as `after`.',
      params: { id: { description: 'The space.', example: '900' } },
      query: {
        ...filters,
        first: { ...firstOfPage, description: `${firstOfPage.description} Not for NDJSON.` },
        after: {
          ...afterParameter(readEntryId),
          description: 'The `next` of the previous page, or the id of an entry.',
          allowed: 'the id of an entry, or the `next` of a page',
        },
      },
      answers: {
        200: {
          description: 'A page, or a stream.',
          content: {
            ...jsonContent(schemaOf(pageOf(entryShape))),
            [NDJSON_TYPE]: { schema: { type: 'string', description: 'One entry per line.' } },
          },
        },
      },
      failures: { 403: 'The token may not write this space.', 404: 'The space does not exist.' },
    },
    async ({ caller, params, query, request, reply }) => {
      const names = Object.keys(query)
      const unknown = Object.keys(request.query as object).find((name) => !names.includes(name))
      if (unknown !== undefined)
        throw invalidRequest(`${unknown.slice(0, 100)} is not a parameter; allowed: ${names.join(', ')}`, unknown)
      const { first, after } = query
      const { spaceId = 0 } = await requireObject(deps, 'space', params.id, caller.scope)
      const wanted = { spaceId, ...readFilter(query) }
      if (acceptsLines(request)) {
        if (first !== undefined) throw invalidRequest('first applies only to pages of JSON', 'first')
        return reply.type(NDJSON_TYPE).send(await streamOf(deps, wanted, { after }))
      }
      const { entries, next } = await readPage(deps.database.kysely, wanted, { first: first ?? PAGE_SIZE, after })
      return { items: entries.map(toEntry), next: next ? idOf(next) : null }
    },
  )
}

const acceptsLines = ({ headers }: FastifyRequest) => headers.accept?.toLowerCase().includes(NDJSON_TYPE) ?? false

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

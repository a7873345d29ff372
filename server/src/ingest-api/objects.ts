import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Dependencies } from '../services.ts'
import { audit } from '../audit/audit.ts'
import { objectKinds, objectNames } from '../objects/object-kinds.ts'
import { deleteObject, exportObject, listObjects, requireExport, showObject } from '../objects/objects.ts'
import { callerOf } from './admit.ts'
import { describeObjectRoutes } from './describe-objects.ts'
import { invalidRequest } from './ingest-error.ts'
import { NDJSON_TYPE } from './limits.ts'

type Request = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

/** Routes to list, show, export and delete the objects that the token can write. */
export function registerObjects(scope: FastifyInstance, deps: Dependencies): void {
  for (const name of objectNames) {
    const { plural } = objectKinds[name]
    const described = describeObjectRoutes(name)

    scope.get(`/${plural}`, { config: { api: described.list } }, (request: Request) => {
      const { first = '100', after = '' } = request.query
      if (typeof first !== 'string' || !/^[1-9][0-9]{0,3}$/.test(first) || Number(first) > 1_000)
        throw invalidRequest('first must be a whole number from 1 to 1000', 'first')
      if (typeof after !== 'string' || after.length > 200)
        throw invalidRequest('after must be the value of `next` from a response', 'after')
      return listObjects(deps, name, { within: callerOf(request).scope, first: Number(first), after })
    })

    scope.get(`/${plural}/:id`, { config: { api: described.show } }, (request: Request) =>
      showObject(deps, name, request.params.id, callerOf(request).scope),
    )

    scope.get(`/${plural}/:id/export`, { config: { api: described.export } }, async (request: Request, reply) => {
      const { kind } = request.query
      const wanted = {
        within: callerOf(request).scope,
        kind: typeof kind === 'string' || kind === undefined ? kind : '',
      }
      await requireExport(deps, name, request.params.id, wanted)
      const stream = new PassThrough()
      exportObject(deps, name, request.params.id, wanted, (records) =>
        pipeline(Readable.from(linesOf(records)), stream),
      ).catch((error: unknown) => stream.destroy(error as Error))
      return reply.type(NDJSON_TYPE).send(stream)
    })

    scope.delete(`/${plural}/:id`, { config: { api: described.delete } }, async (request: Request) => {
      const { id } = request.params
      const { accountId, tokenId, scope: within } = callerOf(request)
      if (request.query.confirm !== id)
        throw invalidRequest(`confirm must be the id, which is deleted with ${objectKinds[name].removes}`, 'confirm')
      const removed = await deleteObject(deps, name, id, {
        within,
        note: (trx, rows) => {
          const counts = Object.fromEntries(Object.entries(rows).map(([what, count]) => [what, String(count)]))
          const details = { ...counts, kind: name, id, tokenId, by: 'ingest token' }
          return audit(deps, { accountId, event: 'data.deleted', details, network: request.network }, trx)
        },
      })
      return { kind: name, id, removed }
    })
  }
}

async function* linesOf(records: AsyncIterable<Record<string, unknown>>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`
}

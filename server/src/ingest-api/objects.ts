import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Dependencies } from '../services.ts'
import { audit } from '../audit/audit.ts'
import { objectKinds, type ObjectName, objectNames } from '../objects/object-kinds.ts'
import { deleteObject, exportObject, listObjects, requireExport, showObject } from '../objects/objects.ts'
import { NDJSON_TYPE } from './limits.ts'
import { afterParameter, confirmParameter, firstParameter, pageOf } from './parameters.ts'
import { ingestRoute, type IngestTag } from './route.ts'

const about: Record<ObjectName, { tag: IngestTag; example: string }> = {
  space: { tag: 'spaces', example: '40' },
  sprint: { tag: 'spaces', example: '40-1' },
  starboard: { tag: 'starboards', example: 'gardeners' },
  credential: { tag: 'credentials', example: '40' },
  quest: { tag: 'quests', example: '40' },
}

const counts = z.record(z.string(), z.int().min(0))
const objectShape = z.looseObject({ id: z.string(), name: z.string() })

/** Routes to list, show, export and delete the objects that the token can write. */
export function registerObjects(scope: FastifyInstance, deps: Dependencies): void {
  for (const name of objectNames) registerKind(scope, deps, name)
}

function registerKind(scope: FastifyInstance, deps: Dependencies, name: ObjectName): void {
  const { plural, allowedId, exports, removes } = objectKinds[name]
  const { tag, example } = about[name]
  const id = { description: `The ${name}: ${allowedId}.`, example }
  const failures = { 403: `The token may not use this ${name}.`, 404: `The ${name} does not exist.` }

  ingestRoute(
    scope,
    {
      method: 'GET',
      path: `/${plural}`,
      tag,
      summary: `List ${plural}`,
      description: `The ${plural} that the token may write, in the order of their ids.`,
      query: {
        first: firstParameter,
        after: afterParameter((after) => (after.length <= 200 && !after.includes('\0') ? after : undefined)),
      },
      answers: { 200: { description: 'A page.', shape: pageOf(objectShape) } },
    },
    ({ caller, query: { first, after = '' } }) => listObjects(deps, name, { within: caller.scope, first, after }),
  )

  ingestRoute(
    scope,
    {
      method: 'GET',
      path: `/${plural}/:id`,
      tag,
      summary: `Show a ${name}`,
      params: { id },
      answers: {
        200: {
          description: 'The fields, and in `contents` the number of records of each kind.',
          shape: objectShape.extend({ contents: counts }),
        },
      },
      failures,
    },
    ({ caller, params }) => showObject(deps, name, params.id, caller.scope),
  )

  ingestRoute(
    scope,
    {
      method: 'GET',
      path: `/${plural}/:id/export`,
      tag,
      summary: `Export a ${name}`,
      description: 'The records as NDJSON with the fields of import files.',
      params: { id },
      query: {
        kind: {
          description: `The kind of records; default: ${exports[0]}.`,
          shape: z.enum(exports),
          ...(exports[0] !== undefined && { example: exports[0] }),
        },
      },
      answers: {
        200: { description: 'One record per line.', content: { [NDJSON_TYPE]: { schema: { type: 'string' } } } },
      },
      failures,
    },
    async ({ caller, params, query: { kind }, reply }) => {
      const wanted = { within: caller.scope, kind: typeof kind === 'string' || kind === undefined ? kind : '' }
      await requireExport(deps, name, params.id, wanted)
      const stream = new PassThrough()
      exportObject(deps, name, params.id, wanted, (records) => pipeline(Readable.from(linesOf(records)), stream)).catch(
        (error: unknown) => stream.destroy(error as Error),
      )
      return reply.type(NDJSON_TYPE).send(stream)
    },
  )

  ingestRoute(
    scope,
    {
      method: 'DELETE',
      path: `/${plural}/:id`,
      tag,
      summary: `Delete a ${name}`,
      description: `Deletes the ${name} with ${removes}. Runs in one transaction and writes an audit entry.`,
      params: { id },
      query: { confirm: confirmParameter(`the id, which is deleted with ${removes}`, example) },
      answers: {
        200: {
          description: 'Deleted; `removed` has the number of deleted records of each kind.',
          shape: z.object({ kind: z.literal(name), id: z.string(), removed: counts }),
        },
      },
      failures: {
        ...failures,
        ...(name === 'credential' && { 409: 'Quests require the credential. Change or delete them first.' }),
      },
    },
    async ({ caller: { accountId, tokenId, scope: within }, params, request: { network } }) => {
      const removed = await deleteObject(deps, name, params.id, {
        within,
        note: (trx, rows) => {
          const texts = Object.fromEntries(Object.entries(rows).map(([what, count]) => [what, String(count)]))
          const details = { ...texts, kind: name, id: params.id, tokenId, by: 'ingest token' }
          return audit(deps, { accountId, event: 'data.deleted', details, network }, trx)
        },
      })
      return { kind: name, id: params.id, removed }
    },
  )
}

async function* linesOf(records: AsyncIterable<Record<string, unknown>>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`
}

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { LongUploads } from '../http/long-uploads.ts'
import { bigId } from '../ingest/fields.ts'
import type { Format } from '../ingest/read-rows.ts'
import { SILENT_UPLOAD, UPLOAD_TIMEOUT } from '../lifetimes.ts'
import type { Dependencies } from '../services.ts'
import { tooLarge } from './ingest-error.ts'
import { NDJSON_TYPE, UPLOAD_LIMIT, UPLOADS } from './limits.ts'
import { replacedShape, replaceList, type Upload } from './replace-list.ts'
import { ingestRoute } from './route.ts'
import { createSlots } from './slots.ts'

const id = bigId('')
const text = { type: 'string' }

/** `POST /ingest/v1/holders/replace`, whose body is streamed. */
export function registerLists(scope: FastifyInstance, deps: Dependencies, uploads: LongUploads): void {
  const slots = createSlots(UPLOADS)
  scope.removeAllContentTypeParsers()
  for (const [type, format] of [
    ['text/plain', { type: 'list', field: 'address' }],
    [NDJSON_TYPE, { type: 'ndjson' }],
  ] satisfies [string, Format][])
    scope.addContentTypeParser(type, async (_request: FastifyRequest, bytes: Readable) => ({ format, bytes }))

  ingestRoute(
    scope,
    {
      method: 'POST',
      path: '/holders/replace',
      tag: 'credentials',
      summary: 'Replace the whole holder list of a credential',
      description: `The body is streamed and has up to ${UPLOAD_LIMIT / 1024 ** 3} GiB: one holder per line, as JSON (\`{"address": "…"}\`) or as plain text. If all lines are valid, the new list replaces the old one at once; until then the old list is used and \`syncStatus\` is \`SYNCING\`. If a line is invalid or the upload is interrupted, the old list remains.`,
      query: {
        credentialId: {
          description: 'The credential.',
          shape: z.string().regex(/^[0-9]{1,19}$/),
          required: true,
          example: '9000000001',
          read: (sent) => id.read(sent),
          allowed: `${id.allowed}, in the URL`,
        },
      },
      body: {
        content: {
          'text/plain': {
            schema: text,
            example: '0x52908400098527886e0f7030069857d2e4169ee7\n0x8617e340b3d01fa5f11f306f4090fd50e238070d\n',
          },
          [NDJSON_TYPE]: { schema: text, example: '{"address":"0x52908400098527886e0f7030069857d2e4169ee7"}\n' },
        },
        bytes: UPLOAD_LIMIT,
      },
      timeout: UPLOAD_TIMEOUT,
      answers: { 200: { description: 'The list was replaced.', shape: replacedShape } },
      failures: {
        400: 'Lines are invalid: `problems` lists the first hundred. The old list remains.',
        403: 'The token may not write this credential.',
        404: 'The credential does not exist.',
        408: 'The upload made no progress for 30 seconds, or was much slower than 1 KiB per second. The old list remains.',
      },
    },
    ({ caller, query, request, reply }) => {
      if (Number(request.headers['content-length'] ?? 0) > UPLOAD_LIMIT)
        throw tooLarge(`The body is too large; allowed: ${UPLOAD_LIMIT} bytes`)
      // This runs before the wait, because the server would otherwise time out the request.
      uploads.allow(request.raw)
      reply.raw.once('close', () => drainRequest(request.raw))
      return slots.run(caller.tokenId, () => replaceList(deps, caller, query.credentialId, request.body as Upload))
    },
  )
}

/** After the response, reads the rest of the body for a while, so that the client can read the response. */
function drainRequest(request: IncomingMessage): void {
  if (request.complete) return
  request.resume()
  const end = () => {
    if (!request.complete) request.destroy()
  }
  setTimeout(end, SILENT_UPLOAD).unref()
}

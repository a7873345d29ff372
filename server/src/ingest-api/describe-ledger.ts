import { schemaOf } from '../api/json-schema.ts'
import type { ApiAnswer, ApiOperation } from '../api/openapi-document.ts'
import { entryShape } from '../ledger/entry.ts'
import { filterParameters } from '../ledger/filter.ts'
import { JSON_TYPE, NDJSON_TYPE } from './limits.ts'

const failed = (description: string): ApiAnswer => ({
  description,
  content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Failure' } } },
})
const entry = schemaOf(entryShape)
const examples: Record<keyof typeof filterParameters, string> = {
  address: '0x52908400098527886e0f7030069857d2e4169ee7',
  sprintId: '0',
  source: 'award,reversal',
  from: '2026-11-01T00:00:00Z',
  to: '2026-12-01T00:00:00Z',
}

export const describeLedger: ApiOperation = {
  summary: 'Read the ledger of a space',
  description:
    'The changes of points, oldest first. With `Accept: application/x-ndjson`, the response is a stream of all entries after `after`, one per line. Otherwise it is a page. A page can have fewer entries than `first`, or none, while `next` is not null, because a request reads a limited number of entries. To read new entries later, send the id of the last entry as `after`.',
  tag: 'spaces',
  security: ['ingestToken', 'accessToken'],
  parameters: [
    { name: 'id', in: 'path', required: true, description: 'The space.', schema: { type: 'string' }, example: '900' },
    ...Object.entries(filterParameters).map(([name, description]) => ({
      name,
      in: 'query' as const,
      description,
      schema: { type: 'string' },
      example: examples[name as keyof typeof filterParameters],
    })),
    {
      name: 'first',
      in: 'query',
      description: 'The page size, 1 to 1000; default: 100. Not for NDJSON.',
      schema: { type: 'integer', minimum: 1, maximum: 1_000 },
      example: 100,
    },
    {
      name: 'after',
      in: 'query',
      description: 'The `next` of the previous page, or the id of an entry.',
      schema: { type: 'string' },
    },
  ],
  answers: {
    200: {
      description: 'A page, or a stream.',
      content: {
        [JSON_TYPE]: {
          schema: {
            type: 'object',
            required: ['items', 'next'],
            properties: { items: { type: 'array', items: entry }, next: { type: ['string', 'null'] } },
          },
        },
        [NDJSON_TYPE]: { schema: { type: 'string', description: 'One entry per line.' } },
      },
    },
    400: failed('A parameter is invalid; `field` names it.'),
    401: failed('The token is missing (`TOKEN_REQUIRED`), or unknown, revoked or expired (`INVALID_TOKEN`).'),
    403: failed('The token may not write this space.'),
    404: failed('The space does not exist.'),
    429: failed('The token has too many concurrent requests.'),
    503: failed('The database is unreachable. Retry the request.'),
  },
}

import { objectKinds, type ObjectName } from '../objects/object-kinds.ts'
import type { ApiAnswer, ApiOperation, ApiParameter } from '../api/openapi-document.ts'
import type { JsonSchema } from '../api/json-schema.ts'
import { JSON_TYPE, NDJSON_TYPE } from './limits.ts'

const tags: Record<ObjectName, string> = {
  space: 'spaces',
  sprint: 'spaces',
  starboard: 'starboards',
  credential: 'credentials',
  quest: 'quests',
}

const security = ['ingestToken', 'accessToken']
const failed = (description: string): ApiAnswer => ({
  description,
  content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Failure' } } },
})
const answer = (description: string, schema: JsonSchema): ApiAnswer => ({
  description,
  content: { [JSON_TYPE]: { schema } },
})

const counts = { type: 'object', additionalProperties: { type: 'integer' } }
const object = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'string' }, name: { type: 'string' } },
  additionalProperties: true,
}
const failures = {
  400: failed('The id or a parameter is malformed.'),
  401: failed('The token is missing (`TOKEN_REQUIRED`), or unknown, revoked or expired (`INVALID_TOKEN`).'),
  429: failed('The token has too many concurrent requests.'),
  503: failed('The database is unreachable. Retry the request.'),
}

export function describeObjectRoutes(name: ObjectName): Record<'list' | 'show' | 'export' | 'delete', ApiOperation> {
  const { plural, allowedId, exports, removes } = objectKinds[name]
  const id: ApiParameter = {
    name: 'id',
    in: 'path',
    required: true,
    description: `The ${name}: ${allowedId}.`,
    schema: { type: 'string' },
    example: name === 'sprint' ? '40-1' : name === 'starboard' ? 'gardeners' : '40',
  }
  const one = {
    ...failures,
    403: failed(`The token may not use this ${name}.`),
    404: failed(`The ${name} does not exist.`),
  }
  const common = { tag: tags[name], security }
  return {
    list: {
      ...common,
      summary: `List ${plural}`,
      description: `The ${plural} that the token may write, in the order of their ids.`,
      parameters: [
        {
          name: 'first',
          in: 'query',
          description: 'The page size, 1 to 1000; default: 100.',
          schema: { type: 'integer', minimum: 1, maximum: 1_000 },
          example: 100,
        },
        {
          name: 'after',
          in: 'query',
          description: 'The `next` of the previous page.',
          schema: { type: 'string' },
          example: '',
        },
      ],
      answers: {
        200: answer('A page.', {
          type: 'object',
          required: ['items', 'next'],
          properties: { items: { type: 'array', items: object }, next: { type: ['string', 'null'] } },
        }),
        ...failures,
      },
    },
    show: {
      ...common,
      summary: `Show a ${name}`,
      parameters: [id],
      answers: {
        200: answer('The fields, and in `contents` the number of records of each kind.', {
          ...object,
          properties: { ...object.properties, contents: counts },
        }),
        ...one,
      },
    },
    export: {
      ...common,
      summary: `Export a ${name}`,
      description: 'The records as NDJSON with the fields of import files.',
      parameters: [
        id,
        {
          name: 'kind',
          in: 'query',
          description: `The kind of records; default: ${exports[0]}.`,
          schema: { type: 'string', enum: [...exports] },
          example: exports[0],
        },
      ],
      answers: {
        200: { description: 'One record per line.', content: { [NDJSON_TYPE]: { schema: { type: 'string' } } } },
        ...one,
      },
    },
    delete: {
      ...common,
      summary: `Delete a ${name}`,
      description: `Deletes the ${name} with ${removes}. Runs in one transaction and writes an audit entry.`,
      parameters: [
        id,
        {
          name: 'confirm',
          in: 'query',
          required: true,
          description: 'The id again, as a confirmation.',
          schema: { type: 'string' },
          example: id.example,
        },
      ],
      answers: {
        200: answer('Deleted; `removed` has the number of deleted records of each kind.', {
          type: 'object',
          required: ['kind', 'id', 'removed'],
          properties: { kind: { const: name }, id: { type: 'string' }, removed: counts },
        }),
        ...one,
        ...(name === 'credential' && { 409: failed('Quests require the credential. Change or delete them first.') }),
      },
    },
  }
}

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
  400: failed('The id or a parameter cannot be read.'),
  401: failed('The token is missing (`TOKEN_REQUIRED`), or unknown, revoked or expired (`INVALID_TOKEN`).'),
  429: failed('The token has too many requests under way.'),
  503: failed('The database cannot be reached. Send the same again.'),
}

/** The texts and schemas of the routes that list, show, export and delete objects. */
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
    404: failed(`There is no such ${name}.`),
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
          description: 'At most so many, 1 to 1000; 100 when left out.',
          schema: { type: 'integer', minimum: 1, maximum: 1_000 },
          example: 100,
        },
        {
          name: 'after',
          in: 'query',
          description: 'The `next` of the page before.',
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
        200: answer('The fields, and in `contents` how much of each kind it has.', {
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
          description: `Which records; ${exports[0]} when left out.`,
          schema: { type: 'string', enum: [...exports] },
          example: exports[0],
        },
      ],
      answers: {
        200: { description: 'One record a line.', content: { [NDJSON_TYPE]: { schema: { type: 'string' } } } },
        ...one,
      },
    },
    delete: {
      ...common,
      summary: `Delete a ${name}`,
      description: `Deletes the ${name} with ${removes}. All in one transaction, with an entry in the audit log.`,
      parameters: [
        id,
        {
          name: 'confirm',
          in: 'query',
          required: true,
          description: 'The id again. A request without it deletes nothing.',
          schema: { type: 'string' },
          example: id.example,
        },
      ],
      answers: {
        200: answer('It is deleted; `removed` says how much of each kind.', {
          type: 'object',
          required: ['kind', 'id', 'removed'],
          properties: { kind: { const: name }, id: { type: 'string' }, removed: counts },
        }),
        ...one,
        ...(name === 'credential' && { 409: failed('Quests ask for the credential. Change or delete them first.') }),
      },
    },
  }
}

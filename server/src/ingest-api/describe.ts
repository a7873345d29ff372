import type { Fields } from '../ingest/check.ts'
import { awardFields } from '../ingest/kinds/awards.ts'
import type { ApiAnswer, ApiContent, ApiDescription, ApiOperation } from '../api/openapi-document.ts'
import type { JsonSchema } from '../api/json-schema.ts'
import type { BatchKind } from './batch-kinds.ts'
import { BODY_LIMIT, JSON_TYPE, MOST_AT_ONCE, MOST_ITEMS, NDJSON_TYPE } from './limits.ts'

/** What the ingest API says of itself: the texts and schemas of its OpenAPI document. */

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The JSON Schema of an item, from the same fields that check it. */
export function itemSchema(fields: Fields): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(fields).filter((name) => fields[name]?.fallback === undefined),
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { schema, allowed, fallback }]) => [
        name,
        fallback === undefined
          ? { ...schema, description: allowed }
          : { anyOf: [schema, { type: 'null' }], description: allowed },
      ]),
    ),
  }
}

const failed = (description: string): ApiAnswer => ({
  description,
  content: { [JSON_TYPE]: { schema: ref('Failure') } },
})
const later = (description: string): ApiAnswer => ({
  ...failed(description),
  headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
})

const failures: Record<number, ApiAnswer> = {
  400: failed('The body as a whole cannot be read. Nothing was stored.'),
  401: failed('The token is missing (`TOKEN_REQUIRED`), or unknown, revoked or expired (`INVALID_TOKEN`).'),
  413: failed(`More than ${MOST_ITEMS} items or ${BODY_LIMIT} bytes. Nothing was stored.`),
  415: failed('The body is of another media type, or compressed.'),
  429: later(
    `The token has ${MOST_AT_ONCE} requests, or its part of what is taken at once, under way in this instance.`,
  ),
  503: later('More arrives than can be stored, or the database cannot be reached. Send the same again.'),
}

const security = ['ingestToken', 'accessToken']

/** A body of items of a shape. */
function itemsContent(schema: JsonSchema, example: object): ApiContent {
  return {
    [JSON_TYPE]: {
      schema: {
        anyOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['items'],
            properties: { items: { type: 'array', minItems: 1, maxItems: MOST_ITEMS, items: schema } },
          },
          { type: 'array', minItems: 1, maxItems: MOST_ITEMS, items: schema },
        ],
      },
      example: { items: [example] },
    },
    [NDJSON_TYPE]: {
      schema: { type: 'string', description: 'One such object a line.' },
      example: `${JSON.stringify(example)}\n`,
    },
  }
}

function batchOperation(about: Pick<BatchKind, 'summary' | 'description' | 'example'>, tag: string, fields: Fields) {
  return {
    summary: about.summary,
    description: about.description,
    tag,
    security,
    body: { content: itemsContent(itemSchema(fields), about.example) },
    answers: {
      200: {
        description: 'What happened to each item, in their order. What is `applied` is on the disk.',
        content: { [JSON_TYPE]: { schema: ref('BatchAnswer') } },
      },
      ...failures,
    },
  } satisfies ApiOperation
}

export const describeBatch = (batch: BatchKind): ApiOperation => batchOperation(batch, batch.tag, batch.kind.fields)

export const describeAwards: ApiOperation = batchOperation(
  {
    summary: 'Award points',
    description:
      'Adds signed points to the overall board of a space and, when `sprintId` is given, to the board of that sprint. `key` makes an award count once: the same award under the same key is a `duplicate` and changes nothing, another award under it is refused with `CONFLICT`. Keys are bound to the space and remembered for 35 days. Send a batch again as it was whenever you got no answer.',
    example: {
      key: 'order-1001',
      spaceId: 900,
      sprintId: 1,
      address: '0x52908400098527886e0f7030069857d2e4169ee7',
      points: 25,
    },
  },
  'spaces',
  awardFields,
)

export const describeReplace: ApiOperation = {
  summary: 'Replace the whole holder list of a credential',
  description:
    'The body is read while it arrives and may be of any size: one holder a line, as JSON (`{"address": "…"}`) or as plain text. The new list is filled beside the old one and takes its place at once when every line was good; until then the old one answers and `syncStatus` is `SYNCING`. One bad line, or an upload that breaks off, leaves the old list.',
  tag: 'credentials',
  security,
  parameters: [
    {
      name: 'credentialId',
      in: 'query',
      required: true,
      description: 'The credential.',
      schema: { type: 'string', pattern: '^[0-9]{1,19}$' },
      example: '9000000001',
    },
  ],
  body: {
    content: {
      'text/plain': {
        schema: { type: 'string' },
        example: '0x52908400098527886e0f7030069857d2e4169ee7\n0x8617e340b3d01fa5f11f306f4090fd50e238070d\n',
      },
      [NDJSON_TYPE]: {
        schema: { type: 'string' },
        example: '{"address":"0x52908400098527886e0f7030069857d2e4169ee7"}\n',
      },
    },
  },
  answers: {
    200: {
      description: 'The new list answers.',
      content: {
        [JSON_TYPE]: {
          schema: {
            type: 'object',
            required: ['credentialId', 'itemCount', 'read'],
            properties: {
              credentialId: { type: 'string' },
              itemCount: { type: 'integer', description: 'Holders of the list.' },
              read: { type: 'integer', description: 'Lines that were read.' },
            },
          },
        },
      },
    },
    ...failures,
    400: failed('Lines are bad: `problems` lists the first hundred. The old list stays.'),
    403: failed('The token may not write this credential.'),
    404: failed('The credential is not known.'),
    408: failed('The upload stood still for 30 seconds, or brought far less than 1 KiB a second. The old list stays.'),
  },
}

export const describeRefresh: ApiOperation = {
  summary: 'Rank a starboard now',
  description: 'New samples are ranked within a few seconds by themselves. Without a change nothing is published.',
  tag: 'starboards',
  security,
  parameters: [
    {
      name: 'starboardId',
      in: 'path',
      description: 'The starboard.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,100}$' },
      example: 'gardeners',
    },
  ],
  answers: {
    200: {
      description: 'The current ranking.',
      content: {
        [JSON_TYPE]: {
          schema: {
            type: 'object',
            required: ['starboardId', 'published', 'version', 'userCount'],
            properties: {
              starboardId: { type: 'string' },
              published: { type: 'boolean', description: 'Whether anything changed.' },
              version: { type: 'integer', description: '0 when nobody was ever ranked.' },
              userCount: { type: 'integer' },
            },
          },
        },
      },
    },
    401: failures[401] as ApiAnswer,
    403: failed('The token may not write this starboard.'),
    404: failed('The starboard is not known.'),
    429: failures[429] as ApiAnswer,
    503: failures[503] as ApiAnswer,
  },
}

export const describeDocument: ApiOperation = {
  summary: 'This document',
  tag: 'description',
  answers: { 200: { description: 'OpenAPI 3.1.', content: { [JSON_TYPE]: { schema: { type: 'object' } } } } },
}

export const describePage: ApiOperation = {
  summary: 'This description, to read',
  tag: 'description',
  answers: { 200: { description: 'HTML.', content: { 'text/html': { schema: { type: 'string' } } } } },
}

const statuses = ['applied', 'duplicate', 'unchanged', 'refused']

export const description: ApiDescription = {
  title: 'Questboard ingest API',
  version: '1',
  description:
    'Your own systems write here what Questboard shows. Every request carries an ingest token (`qbi_…`), made with `questboard ingest-token create`. Items are stored each by itself: a bad one never holds up the others, and the answer says of each what happened. An answer means that what it calls applied is on the disk.',
  tags: [
    { name: 'spaces', description: 'Spaces, their sprints and the points of their members' },
    { name: 'quests', description: 'Quests and who takes part' },
    { name: 'starboards', description: 'Starboards, their users, samples and links' },
    { name: 'credentials', description: 'Credentials and their holders' },
    { name: 'description', description: 'This description' },
  ],
  components: {
    securitySchemes: {
      ingestToken: { type: 'http', scheme: 'bearer', description: 'An ingest token, `qbi_…`.' },
      accessToken: { type: 'apiKey', in: 'header', name: 'access-token', description: 'The same token.' },
    },
    schemas: {
      BatchAnswer: {
        type: 'object',
        required: ['summary', 'results'],
        properties: {
          summary: {
            type: 'object',
            description: 'How many items there are of each status.',
            required: statuses,
            properties: Object.fromEntries(statuses.map((status) => [status, { type: 'integer' }])),
          },
          results: { type: 'array', items: ref('ItemResult') },
        },
      },
      ItemResult: {
        type: 'object',
        required: ['index', 'status'],
        properties: {
          index: { type: 'integer', description: 'The place of the item, from 0.' },
          status: { type: 'string', enum: statuses },
          error: {
            type: 'object',
            required: ['code', 'message'],
            properties: {
              code: {
                type: 'string',
                enum: ['INVALID_ARGUMENT', 'NOT_FOUND', 'CONFLICT', 'OUT_OF_RANGE', 'PERMISSION_DENIED'],
              },
              field: { type: 'string' },
              message: { type: 'string' },
              allowed: { type: 'string' },
            },
          },
        },
      },
      Failure: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['code', 'message', 'request_id'],
            properties: {
              code: { type: 'string' },
              message: { type: 'string' },
              field: { type: 'string' },
              request_id: { type: 'string', description: 'The same as in the header x-request-id and in the log.' },
              problems: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['line', 'message'],
                  properties: {
                    line: { type: 'integer' },
                    field: { type: 'string' },
                    message: { type: 'string' },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
}

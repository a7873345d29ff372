import type { Fields } from '../ingest/check.ts'
import { awardFields } from '../ingest/kinds/awards.ts'
import type { ApiAnswer, ApiContent, ApiDescription, ApiOperation } from '../api/openapi-document.ts'
import type { JsonSchema } from '../api/json-schema.ts'
import { refusalReasons } from '../claims/refusals.ts'
import type { BatchKind } from './batch-kinds.ts'
import { completionFields } from './completions.ts'
import { referralFields } from './referrals.ts'
import { reversalFields } from './reversals.ts'
import { BODY_LIMIT, JSON_TYPE, MAX_CONCURRENT_REQUESTS, MAX_ITEMS, NDJSON_TYPE } from './limits.ts'

/** The texts and schemas of the OpenAPI document of the ingest API. */

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The JSON Schema of an item, generated from the fields that validate it. */
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
  400: failed('The body is malformed. Nothing was stored.'),
  401: failed('The token is missing (`TOKEN_REQUIRED`), or unknown, revoked or expired (`INVALID_TOKEN`).'),
  413: failed(`More than ${MAX_ITEMS} items or ${BODY_LIMIT} bytes. Nothing was stored.`),
  415: failed('The media type is not supported, or the body is compressed.'),
  429: later(
    `The token has ${MAX_CONCURRENT_REQUESTS} concurrent requests in this process, or uses its whole part of the queue.`,
  ),
  503: later('The service is overloaded, or the database is unreachable. Retry the request.'),
}

const security = ['ingestToken', 'accessToken']

function itemsContent(schema: JsonSchema, example: object): ApiContent {
  return {
    [JSON_TYPE]: {
      schema: {
        anyOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['items'],
            properties: { items: { type: 'array', minItems: 1, maxItems: MAX_ITEMS, items: schema } },
          },
          { type: 'array', minItems: 1, maxItems: MAX_ITEMS, items: schema },
        ],
      },
      example: { items: [example] },
    },
    [NDJSON_TYPE]: {
      schema: { type: 'string', description: 'One object per line.' },
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
        description: 'The result of each item, in order. Items with status `applied` are on disk.',
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
      'Adds signed points to the overall board of a space and, when `sprintId` is given, to the board of that sprint. An award counts once per `key`: the same award with the same key is a `duplicate` and changes nothing; a different award with that key fails with `CONFLICT`. Keys belong to the space and are stored for at least 35 days. The points count from `availableAt` to `expiresAt`, if they are given. If you receive no response, send the same batch again.',
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

export const describeReversals: ApiOperation = batchOperation(
  {
    summary: 'Reverse awards',
    description:
      'Takes back the points of awards, imported points and quests with new entries in the ledger. An item names the key of an award, or the id of an entry. An entry is reversed completely and once: a second reversal is a `duplicate` and changes nothing. The keys of reversed awards remain used.',
    example: { spaceId: 900, key: 'order-1001', reason: 'The order was cancelled' },
  },
  'spaces',
  reversalFields,
)

export const describeReferrals: ApiOperation = batchOperation(
  {
    summary: 'Record who referred a member',
    description:
      'Records the referrer of a member of a space, once, before the first claim of the member. The referrer is another person, and was not referred by the member. The same referral is a `duplicate`. Rules of the kind `referral` give points to the referrer.',
    example: {
      spaceId: 900,
      address: '0x52908400098527886e0f7030069857d2e4169ee7',
      referrer: '0xde709f2102306220921060314715629080e2fb77',
    },
  },
  'spaces',
  referralFields,
)

const completions = batchOperation(
  {
    summary: 'Complete a quest for addresses',
    description:
      'Checks the status, the cap, the time and all credential groups of the quest, and allows one completion per address and account. For an accepted item it stores the participant and awards `loyaltyPoints` to the overall board and the current sprint, in one transaction. The same item with the same key is a `duplicate` and changes nothing. A refused item has a `reason`, and `retry` is true if the same item can be accepted later.',
    example: { key: 'completion-1001', address: '0x52908400098527886e0f7030069857d2e4169ee7' },
  },
  'quests',
  completionFields,
)

export const describeCompletions: ApiOperation = {
  ...completions,
  parameters: [
    {
      name: 'questId',
      in: 'path',
      description: 'The quest.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,100}$' },
      example: 'GCgarden01',
    },
  ],
  answers: {
    ...completions.answers,
    403: failed('The token may not write the space of this quest.'),
    404: failed('The quest does not exist.'),
  },
}

export const describeReplace: ApiOperation = {
  summary: 'Replace the whole holder list of a credential',
  description:
    'The body is streamed and may have any size: one holder per line, as JSON (`{"address": "…"}`) or as plain text. If all lines are valid, the new list replaces the old one at once; until then the old list is used and `syncStatus` is `SYNCING`. If a line is invalid or the upload is interrupted, the old list remains.',
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
      description: 'The list was replaced.',
      content: {
        [JSON_TYPE]: {
          schema: {
            type: 'object',
            required: ['credentialId', 'itemCount', 'read'],
            properties: {
              credentialId: { type: 'string' },
              itemCount: { type: 'integer', description: 'The number of holders in the list.' },
              read: { type: 'integer', description: 'The number of lines.' },
            },
          },
        },
      },
    },
    ...failures,
    400: failed('Lines are invalid: `problems` lists the first hundred. The old list remains.'),
    403: failed('The token may not write this credential.'),
    404: failed('The credential does not exist.'),
    408: failed(
      'The upload made no progress for 30 seconds, or was much slower than 1 KiB per second. The old list remains.',
    ),
  },
}

export const describeRefresh: ApiOperation = {
  summary: 'Rank a starboard now',
  description:
    'New samples are ranked automatically within a few seconds. If nothing changed, no ranking is published.',
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
              version: { type: 'integer', description: '0 if no user was ever ranked.' },
              userCount: { type: 'integer' },
            },
          },
        },
      },
    },
    401: failures[401] as ApiAnswer,
    403: failed('The token may not write this starboard.'),
    404: failed('The starboard does not exist.'),
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
    'Your own systems write data to Questboard with this API. Each request needs an ingest token (`qbi_…`), created with `questboard ingest-token create`. Each item is accepted or rejected separately, and the response lists the result of each. Items with status `applied` are on disk.',
  tags: [
    { name: 'spaces', description: 'Spaces, their sprints and the points of their members' },
    { name: 'quests', description: 'Quests and their participants' },
    { name: 'starboards', description: 'Starboards, their users, samples and links' },
    { name: 'credentials', description: 'Credentials and their holders' },
    { name: 'snapshots', description: 'Sealed lists with Merkle proofs and signed statements' },
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
            description: 'The number of items of each status.',
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
          index: { type: 'integer', description: 'The position of the item, from 0.' },
          status: { type: 'string', enum: statuses },
          entry: { type: 'string', description: 'For reversals: the id of the new entry in the ledger.' },
          completion: {
            type: 'object',
            description: 'For completions: what was stored.',
            required: ['address', 'points', 'sprintId', 'claimedAt'],
            properties: {
              address: { type: 'string' },
              points: { type: 'integer' },
              sprintId: { type: ['integer', 'null'], description: 'The sprint that was current, or null.' },
              claimedAt: { type: 'string', description: 'A time in RFC 3339.' },
            },
          },
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
              reason: {
                type: 'string',
                enum: Object.keys(refusalReasons),
                description: 'For completions: why the quest refuses the item.',
              },
              rule: { type: 'string', description: 'For completions: the rule of the quest.' },
              retry: { type: 'boolean', description: 'For completions: whether the same item can be accepted later.' },
              conditions: {
                type: 'array',
                description: 'For completions: the conditions that are not met, or not known to be met.',
                items: {
                  type: 'object',
                  required: ['groupId', 'group', 'expression', 'credentialId', 'state'],
                  properties: {
                    groupId: { type: 'string' },
                    group: { type: 'string' },
                    expression: { type: 'string' },
                    credentialId: { type: 'string' },
                    state: { type: 'string', enum: ['not-met', 'syncing', 'unavailable'] },
                  },
                },
              },
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

import { z } from 'zod'
import { KEPT_REQUESTS } from '../../access/request-log.ts'
import { DAY } from '../../clock.ts'
import { REQUEST_LOG_RETENTION } from '../../lifetimes.ts'
import { time, uuid } from '../../api/response-shapes.ts'
import { uuidParameter } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { newIngestToken, newToken } from '../request-shapes.ts'
import { readUsageDays, usageDays } from './usage-days.ts'

const params = { id: uuidParameter('the tokenId', 'Token') }

const lastFour = z
  .string()
  .nullable()
  .describe('The last four characters of the value; null for tokens created before they were stored')

export const tokenShape = z.strictObject({
  tokenId: uuid,
  accountId: uuid,
  name: z.string(),
  areas: z.array(z.string()),
  plan: z.string(),
  planNeedsOperator: z
    .boolean()
    .describe(
      'The account assigned the plan as an operator; if it loses its operator rights, the token gets the plan `free`, ' +
        'unless all accounts can choose its plan',
    ),
  createdAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  origins: z.array(z.string()).nullable().describe('Whose pages can use a publishable token; null for a server token'),
  spaceIds: z
    .array(z.int())
    .nullable()
    .describe('The spaces that a publishable token can read; null for a server token'),
  lastFour,
})
const issuedShape = tokenShape.extend({ token: z.string().describe('The value, shown once') })

export const tokenDescriptions = {
  list: {
    method: 'GET',
    path: '/api/tokens',
    who: 'account',
    summary: 'List the server tokens of the account',
    tag: 'Server access tokens',
    answer: {
      description: 'Oldest first, without their values.',
      shape: z.strictObject({ tokens: z.array(tokenShape.extend({ lastUsedAt: time.nullable() })) }),
    },
  },
  create: {
    method: 'POST',
    path: '/api/tokens',
    who: 'account',
    summary: 'Create a server access token for POST /query, or a publishable token for pages',
    tag: 'Server access tokens',
    body: newToken,
    answer: { status: 201, description: 'The token with its value.', shape: issuedShape },
    errors: { 409: 'The account has the maximum number of tokens for one UTC day.' },
  },
  regenerate: {
    method: 'POST',
    path: '/api/tokens/:id/regenerate',
    who: 'account',
    summary: 'Give a token a new value',
    description: 'The old value is rejected at once.',
    tag: 'Server access tokens',
    params,
    missingRight: 'the plan of the token is for operators',
    answer: { description: 'The token with its new value.', shape: issuedShape },
    errors: { 409: 'The token was revoked, or expired.' },
  },
  revoke: {
    method: 'DELETE',
    path: '/api/tokens/:id',
    who: 'account',
    summary: 'Revoke a token',
    tag: 'Server access tokens',
    params,
    answer: { status: 204, description: 'The token is revoked.' },
  },
  plans: {
    method: 'GET',
    path: '/api/plans',
    who: 'account',
    summary: 'List the plans that the account can choose for its tokens',
    tag: 'Server access tokens',
    answer: {
      description: 'By name; null if unlimited.',
      shape: z.strictObject({
        plans: z.array(z.strictObject({ plan: z.string(), perSecond: z.int().nullable(), perDay: z.int().nullable() })),
      }),
    },
  },
  requests: {
    method: 'GET',
    path: '/api/tokens/:id/requests',
    who: 'account',
    summary: 'List the last requests of a token',
    description: `At most ${KEPT_REQUESTS}, kept for ${REQUEST_LOG_RETENTION / DAY} days. A request appears after a few seconds. The log has no variables, no documents and no addresses.`,
    tag: 'Server access tokens',
    params,
    answer: {
      description: 'Newest first.',
      shape: z.strictObject({
        requests: z.array(
          z.strictObject({
            at: time,
            requestId: z.string().describe('As in the header `x-request-id` of the response'),
            operation: z.string().describe('The fields that the document reads, as in the usage figures'),
            status: z.int().describe('HTTP status'),
            milliseconds: z.number(),
            code: z.string().nullable().describe('Code of the first error; null without an error'),
          }),
        ),
      }),
    },
  },
  usage: {
    method: 'GET',
    path: '/api/usage',
    who: 'account',
    summary: 'Get the usage of the tokens by day',
    tag: 'Server access tokens',
    query: usageDays,
    readQuery: readUsageDays,
    answer: {
      description: 'Requests by token, UTC day, operation and HTTP status, with the quota of each token.',
      shape: z.strictObject({
        since: z.iso.date(),
        latencyBounds: z
          .array(z.number())
          .describe('Upper bounds of the ranges of durations in milliseconds; the last range has none'),
        usage: z.array(
          z.strictObject({
            tokenId: uuid,
            name: z.string(),
            quota: z
              .strictObject({ plan: z.string(), perSecond: z.int().nullable(), perDay: z.int().nullable() })
              .describe('Queries per second and per UTC day; null if unlimited'),
            days: z.array(
              z.strictObject({
                day: z.iso.date(),
                operation: z.string(),
                status: z.int(),
                requests: z.int(),
                latencies: z
                  .array(z.int())
                  .describe('Requests in each range of durations; fewer than `requests` if some were counted earlier'),
              }),
            ),
          }),
        ),
      }),
    },
  },
} as const satisfies Record<string, RouteDescription>

const ingestTokenShape = z.strictObject({
  tokenId: uuid,
  accountId: uuid,
  name: z.string(),
  scope: z
    .strictObject({
      spaceIds: z.array(z.int()).nullable(),
      starboardIds: z.array(z.string()).nullable(),
      credentialIds: z.array(z.string()).nullable(),
    })
    .describe('null means all of the kind'),
  ownedOnly: z.boolean().describe('Restricts the scope to objects that the account owns at the time of the request'),
  needsOperator: z.boolean().describe('Revoked when its account loses operator rights'),
  createdAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  lastUsedAt: time.nullable(),
  lastFour,
})
const issuedIngestShape = ingestTokenShape.extend({ token: z.string().describe('The value, shown once') })

export const ingestTokenDescriptions = {
  list: {
    method: 'GET',
    path: '/api/ingest-tokens',
    who: 'account',
    summary: 'List the ingest tokens of the account',
    tag: 'Ingest tokens',
    answer: { description: 'Without their values.', shape: z.strictObject({ tokens: z.array(ingestTokenShape) }) },
  },
  create: {
    method: 'POST',
    path: '/api/ingest-tokens',
    who: 'account',
    summary: 'Create a token for the ingest API',
    description:
      'For objects that the account owns; tokens of operators can have any scope. The scope `all` requires a sign-in within the last hour (403 `fresh_sign_in_required`).',
    tag: 'Ingest tokens',
    body: newIngestToken,
    answer: { status: 201, description: 'The token with its value.', shape: issuedIngestShape },
    errors: { 409: 'The account has the maximum number of valid tokens.' },
  },
  regenerate: {
    method: 'POST',
    path: '/api/ingest-tokens/:id/regenerate',
    who: 'account',
    summary: 'Give an ingest token a new value',
    description:
      'The old value is rejected at once. A token with the scope `all` requires a sign-in within the last hour (403 `fresh_sign_in_required`).',
    tag: 'Ingest tokens',
    params,
    missingRight: 'the scope of the token is for operators',
    answer: { description: 'The token with its new value.', shape: issuedIngestShape },
    errors: { 409: 'The token was revoked, or expired.' },
  },
  revoke: {
    method: 'DELETE',
    path: '/api/ingest-tokens/:id',
    who: 'account',
    summary: 'Revoke an ingest token',
    tag: 'Ingest tokens',
    params,
    answer: { status: 204, description: 'The token is revoked.' },
  },
} as const satisfies Record<string, RouteDescription>

import type { FastifyInstance } from 'fastify'
import { type ApiDescription, type ApiRoute, openApiDocument } from '../api/openapi-document.ts'
import { apiPage } from '../api/openapi-page.ts'
import { jsonContent } from '../api/route-description.ts'
import { refusalReasons } from '../claims/refusals.ts'

/** The OpenAPI document of the routes, and its page. */
export function registerDocument(scope: FastifyInstance, routes: readonly ApiRoute[]): void {
  const tag = 'description'
  const documentApi = {
    summary: 'This document',
    tag,
    answers: { 200: { description: 'OpenAPI 3.1.', content: jsonContent({ type: 'object' }) } },
  }
  const pageApi = {
    summary: 'This description, to read',
    tag,
    answers: { 200: { description: 'HTML.', content: { 'text/html': { schema: { type: 'string' } } } } },
  }
  scope.get('/openapi.json', { config: { api: documentApi } }, async () => openApiDocument(description, routes))
  scope.get('/', { config: { api: pageApi } }, async (_request, reply) => {
    const { html, contentSecurityPolicy } = apiPage(description, routes, '/ingest/openapi.json')
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': contentSecurityPolicy, 'referrer-policy': 'no-referrer' })
      .send(html)
  })
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const statuses = ['applied', 'duplicate', 'unchanged', 'refused']

const description: ApiDescription = {
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

import type { FastifyInstance } from 'fastify'
import { schemaOf } from '../api/json-schema.ts'
import { type ApiDescription, type ApiRoute, openApiDocument } from '../api/openapi-document.ts'
import { apiPage } from '../api/openapi-page.ts'
import { jsonContent } from '../api/route-description.ts'
import { itemResultShape, itemStatuses } from './results.ts'

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
            required: itemStatuses,
            properties: Object.fromEntries(itemStatuses.map((status) => [status, { type: 'integer' }])),
          },
          results: { type: 'array', items: ref('ItemResult') },
        },
      },
      ItemResult: schemaOf(itemResultShape),
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

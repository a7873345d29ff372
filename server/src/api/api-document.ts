import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiDescription, type ApiRoute, openApiDocument } from './openapi-document.ts'
import { type JsonSchema, schemaOf } from './json-schema.ts'
import { errorShape, refusalShape } from './response-shapes.ts'
import type { RouteDescription } from './route-description.ts'
import type { Site } from '../settings/site.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string
}

export const documentOperation = {
  method: 'GET',
  path: '/api/openapi.json',
  who: 'anyone',
  summary: 'This document',
  tag: 'Documents',
  answer: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
} as const satisfies RouteDescription

/** The OpenAPI document of the JSON API and the OAuth endpoints, generated from the route descriptions. */
export function apiDocument(site: Site, routes: readonly ApiRoute[]): JsonSchema {
  return openApiDocument(about(site), routes)
}

function about(site: Site): ApiDescription {
  const cookie = `${site.secure ? '__Host-' : ''}questboard-session`
  return {
    title: 'Questboard: sign-in, dashboard and OAuth',
    description:
      'The API of the pages, and the endpoints of the authorization server. See `docs/oauth.md`. ' +
      'Calls of `/api` that change something need the header `x-csrf-token`. Responses have the header `x-request-id`.',
    version,
    tags: [
      { name: 'OAuth', description: 'For apps that sign users in.' },
      { name: 'Sign-in', description: 'The session of a browser, and sign-in.' },
      { name: 'Authorization requests', description: 'The consent page.' },
      { name: 'Account', description: 'A user’s own account.' },
      { name: 'Apps', description: 'An owner’s apps.' },
      { name: 'Server access tokens', description: 'Tokens for queries, and their usage.' },
      { name: 'Ingest tokens', description: 'Tokens with which the account’s own systems write data; docs/ingest.md.' },
      { name: 'Webhooks', description: 'Events sent to other services; docs/webhooks.md.' },
      { name: 'Explore', description: 'Spaces, starboards, credentials and quests for the pages.' },
      { name: 'Quests', description: 'Quests of the signed-in account: its progress, and claims.' },
      { name: 'Snapshots', description: 'Sealed lists with Merkle proofs and signed statements; docs/snapshots.md.' },
      {
        name: 'Content',
        description: 'Spaces, sprints, quests, credentials and starboards, for their teams; docs/content.md.',
      },
      { name: 'Teams', description: 'Roles in spaces; docs/roles.md.' },
      { name: 'Operators', description: 'For accounts that `questboard operator grant` made operators.' },
      { name: 'Documents', description: 'Files.' },
    ],
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookie, description: 'The session of a browser.' },
        client: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, here or in the body.' },
        accessToken: { type: 'http', scheme: 'bearer', description: 'A user access token.' },
        accessTokenHeader: {
          type: 'apiKey',
          in: 'header',
          name: 'access_token',
          description: 'Alternative; `access-token` is an alias.',
        },
      },
      schemas: {
        Error: schemaOf(errorShape),
        OauthError: {
          type: 'object',
          properties: {
            error: { type: 'string' },
            error_description: { type: 'string' },
            refusal: schemaOf(refusalShape),
          },
          required: ['error', 'error_description'],
          additionalProperties: false,
        },
      },
    },
  }
}

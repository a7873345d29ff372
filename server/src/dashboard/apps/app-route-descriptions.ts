import { z } from 'zod'
import { time, uuid } from '../../api/response-shapes.ts'
import { unknownPage } from '../../errors.ts'
import { nameParameter, readCount, wholeBody } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { applicationShape, changesShape } from '../../oauth/app-form.ts'
import { subjectTypes } from '../../oauth/app.queries.ts'
import type { AppUserPosition } from '../../oauth/app-users.queries.ts'
import { ownApp, reviewedApp } from './own-app.ts'
import { logoShape } from '../request-shapes.ts'

const statusShape = z.enum(['pending', 'approved', 'refused', 'suspended'])
export const appFilterShape = z.enum(['waiting', ...statusShape.options])

export const appShape = z.strictObject({
  clientId: z.string(),
  ownerAccountId: uuid,
  name: z.string(),
  homepage: z.string(),
  purpose: z.string(),
  status: statusShape,
  statusReason: z.string(),
  redirectUris: z.array(z.string()),
  proposedRedirectUris: z
    .array(z.string())
    .nullable()
    .describe('Redirect URIs that wait for an operator; null if none'),
  scopes: z.array(z.string()),
  proposedDetails: z
    .strictObject({
      name: z.string(),
      homepage: z.string(),
      purpose: z.string(),
      scopes: z.array(z.string()),
    })
    .partial()
    .nullable()
    .describe('The values of these fields that wait for an operator; null if none'),
  allowedOrigins: z.array(z.string()),
  postLogoutRedirectUris: z.array(z.string()),
  backchannelLogoutUri: z.string().nullable().describe('Receives logout tokens; null if none'),
  proposedBackchannelLogoutUri: z.string().nullable().describe('Waits for an operator; null if none'),
  expiringTokens: z.boolean(),
  s256Only: z.boolean(),
  publicClient: z.boolean().describe('The app has no server and no secret'),
  subjectType: z.enum(subjectTypes).describe('pairwise: `sub` differs from that for apps at other hosts'),
  metadataUrl: z
    .string()
    .nullable()
    .describe('The client_id of a client with a client ID metadata document; null for others'),
  logo: z.string().nullable().describe('Path of the logo'),
  proposedLogo: z.string().nullable().describe('Path of the logo that waits for an operator; null if none'),
  revision: z.int().describe('Incremented by each change of the owner, and by each decision about a change'),
  createdAt: time,
  decidedAt: time.nullable(),
})

export const appsShape = z.strictObject({ apps: z.array(appShape) })
const MAX_USERS = 100

function readUserPlace(text: unknown): AppUserPosition {
  const [, time = '', place = ''] = /^([0-9T:.-]{20,30}Z)_([0-9a-f]{64})$/.exec(String(text)) ?? []
  const grantedAt = new Date(time)
  if (Number.isNaN(grantedAt.getTime())) throw unknownPage('before')
  return { grantedAt, place }
}

const params = { id: nameParameter('the clientId', 'App') }
const one = { params, resource: ownApp }

export const appDescriptions = {
  list: {
    method: 'GET',
    path: '/api/apps',
    who: 'account',
    summary: 'List the apps of the account',
    tag: 'Apps',
    answer: { description: 'In the order of application.', shape: appsShape },
  },
  apply: {
    method: 'POST',
    path: '/api/apps',
    who: 'account',
    summary: 'Apply for an app',
    description: 'An operator decides. Redirect URIs are compared byte for byte; docs/oauth.md has the rules.',
    tag: 'Apps',
    body: wholeBody(applicationShape),
    answer: { status: 201, description: 'The app, pending.', shape: appShape },
    errors: { 429: 'Too many applications of this account today.' },
  },
  view: {
    method: 'GET',
    path: '/api/apps/:id',
    who: 'account',
    summary: 'Get an app with the names of its secrets',
    tag: 'Apps',
    ...one,
    answer: {
      description: 'The app.',
      shape: appShape.extend({
        secrets: z.array(z.strictObject({ secretId: uuid, createdAt: time, expiresAt: time.nullable() })),
      }),
    },
  },
  change: {
    method: 'PATCH',
    path: '/api/apps/:id',
    who: 'account',
    summary: 'Change an app',
    description:
      'A refused app is pending again. New values of name, homepage, purpose, scopes, redirectUris and backchannelLogoutUri of an approved app wait for an operator; until then, the approved ones remain valid. publicClient and subjectType can change only while the app is pending or refused: a change of publicClient ends all secrets and tokens of the app; a change of subjectType ends all tokens.',
    tag: 'Apps',
    ...one,
    body: wholeBody(changesShape),
    answer: { description: 'The app.', shape: appShape },
    errors: { 409: 'publicClient or subjectType was approved and cannot change.' },
  },
  remove: {
    method: 'DELETE',
    path: '/api/apps/:id',
    who: 'account',
    recentSignIn: true,
    summary: 'Delete an app and all of its tokens',
    tag: 'Apps',
    ...one,
    answer: { status: 204, description: 'Deleted.' },
  },
  logo: {
    method: 'PUT',
    path: '/api/apps/:id/logo',
    who: 'account',
    summary: 'Set or remove the logo',
    description:
      'base64 of a PNG, JPEG or WebP image of at most 64 KiB, or null. A refused app is pending again. A new logo of an approved app waits for an operator. null removes the approved logo at once; a logo that waits remains.',
    tag: 'Apps',
    ...one,
    body: logoShape,
    answer: { description: 'The app.', shape: appShape },
  },
  proposedLogo: {
    method: 'GET',
    path: '/api/apps/:id/proposed-logo',
    who: 'account',
    summary: 'Get the logo of an approved app that waits for an operator',
    description: 'For the owner of the app and for operators.',
    tag: 'Apps',
    params,
    resource: reviewedApp,
    answer: {
      description: 'The image.',
      content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
    },
    errors: { 404: 'No logo waits.' },
  },
  withdrawLogo: {
    method: 'DELETE',
    path: '/api/apps/:id/proposed-logo',
    who: 'account',
    summary: 'Withdraw the logo that waits for an operator',
    description: 'The approved logo remains.',
    tag: 'Apps',
    ...one,
    answer: { description: 'The app.', shape: appShape },
    errors: { 404: 'No logo waits.' },
  },
  issueSecret: {
    method: 'POST',
    path: '/api/apps/:id/secrets',
    who: 'account',
    recentSignIn: true,
    summary: 'Create a client secret',
    description: 'The secret is shown once. The previous secret remains valid for a day; older ones end at once.',
    tag: 'Apps',
    ...one,
    answer: {
      status: 201,
      description: 'The secret.',
      shape: z.strictObject({ secretId: uuid, secret: z.string() }),
    },
    errors: { 409: 'The app is not approved, or has no server.' },
  },
  endSecret: {
    method: 'DELETE',
    path: '/api/apps/:id/secrets/:secretId',
    who: 'account',
    summary: 'Revoke a client secret',
    tag: 'Apps',
    params: { ...params, secretId: 'of the secret' },
    resource: ownApp,
    answer: { status: 204, description: 'The secret is revoked.' },
  },
  users: {
    method: 'GET',
    path: '/api/apps/:id/users',
    who: 'account',
    summary: 'List the users of the app, newest consent first',
    description: 'Contains only the shared identities, which the app can read itself.',
    tag: 'Apps',
    ...one,
    query: {
      first: { description: `page size, 1 to ${MAX_USERS}`, shape: z.int().min(1).max(MAX_USERS) },
      before: { description: '`next` of the previous page', shape: z.string() },
    },
    readQuery: ({ first, before }) => ({
      first: readCount('first', first, MAX_USERS),
      before: before === undefined ? undefined : readUserPlace(before),
    }),
    answer: {
      description: 'One page of users.',
      shape: z.strictObject({
        total: z.int(),
        users: z.array(
          z.strictObject({
            scopes: z.array(z.string()),
            shared: z.record(
              z.string(),
              z.looseObject({ subject: z.string(), username: z.string().nullable().optional() }),
            ),
            grantedAt: time,
            lastUsedAt: time.nullable(),
          }),
        ),
        next: z.string().nullable(),
      }),
    },
  },
  revokeUsers: {
    method: 'DELETE',
    path: '/api/apps/:id/users',
    who: 'account',
    recentSignIn: true,
    summary: 'End the access of all users of the app',
    description: 'Deletes all consents, tokens and codes. The app and its secrets remain.',
    tag: 'Apps',
    ...one,
    answer: { description: 'The number of users.', shape: z.strictObject({ revoked: z.int() }) },
  },
} as const satisfies Record<string, RouteDescription>

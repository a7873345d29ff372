import { z } from 'zod'
import { time, uuid } from '../api/answer-shapes.ts'
import { changing, reading } from '../api/operation.ts'
import { applicationShape, changesShape } from '../oauth/app-form.ts'
import { logoShape } from './request-shapes.ts'

export const statusShape = z.enum(['pending', 'approved', 'refused', 'suspended'])
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
    .describe('What the redirect URIs will be once an operator accepts it; null when nothing waits'),
  scopes: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  expiringTokens: z.boolean(),
  s256Only: z.boolean(),
  logo: z.string().nullable().describe('Path of the logo'),
  revision: z.int().describe('Counts the changes of the owner'),
  createdAt: time,
  decidedAt: time.nullable(),
})

export const appsShape = z.strictObject({ apps: z.array(appShape) })
const one = { id: 'the clientId' }

export const appOperations = {
  list: reading({
    summary: 'The apps of the account',
    tag: 'Apps',
    answer: { description: 'In the order of application.', shape: appsShape },
  }),
  apply: changing({
    summary: 'Apply for a client',
    description: 'An operator decides. Redirect URIs are compared byte for byte; docs/oauth.md has the rules.',
    tag: 'Apps',
    body: applicationShape,
    answer: { status: 201, description: 'The app, pending.', shape: appShape },
    refusals: { 429: 'Too many applications of this account today.' },
  }),
  view: reading({
    summary: 'One app, with its secrets named',
    tag: 'Apps',
    path: one,
    answer: {
      description: 'The app.',
      shape: appShape.extend({
        secrets: z.array(z.strictObject({ secretId: uuid, createdAt: time, expiresAt: time.nullable() })),
      }),
    },
  }),
  change: changing({
    summary: 'Change an app',
    description:
      'Name, homepage, purpose and scopes only while the application waits or was refused; it then waits again. New redirect URIs of an approved app wait for an operator; the others go on to work.',
    tag: 'Apps',
    path: one,
    body: changesShape,
    answer: { description: 'The app.', shape: appShape },
    refusals: { 409: 'What was to be changed was approved as it is.' },
  }),
  remove: changing({
    summary: 'Delete an app and all of its tokens',
    tag: 'Apps',
    who: 'fresh session',
    path: one,
    answer: { status: 204, description: 'Deleted.' },
  }),
  logo: changing({
    summary: 'Set or remove the logo',
    description:
      'base64 of a PNG, JPEG or WebP image of at most 64 KiB, or null. Only while the application waits or was refused; it then waits again.',
    tag: 'Apps',
    path: one,
    body: logoShape,
    answer: { description: 'The app.', shape: appShape },
    refusals: { 409: 'The logo was approved as it is.' },
  }),
  issueSecret: changing({
    summary: 'Make a new client secret',
    description: 'Shown this once. The secret before stays valid for a day, an older one ends at once.',
    tag: 'Apps',
    who: 'fresh session',
    path: one,
    answer: {
      status: 201,
      description: 'The secret.',
      shape: z.strictObject({ secretId: uuid, secret: z.string() }),
    },
    refusals: { 409: 'The app is not approved.' },
  }),
  endSecret: changing({
    summary: 'End a client secret at once',
    tag: 'Apps',
    path: { ...one, secretId: 'of the secret' },
    answer: { status: 204, description: 'The secret is refused from now on.' },
  }),
  users: reading({
    summary: 'Who lets the app see something, the newest consent first',
    description: 'What the app can read itself: the identities that were shared. Users are not told apart otherwise.',
    tag: 'Apps',
    path: one,
    query: {
      first: { description: 'at most so many, 1 to 100', shape: z.int().min(1).max(100) },
      before: { description: '`next` of the page before', shape: z.string() },
    },
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
  }),
  revokeUsers: changing({
    summary: 'End the access of all users of the app',
    description: 'Every consent is forgotten, every token and code ends at once. Secrets and the app stay.',
    tag: 'Apps',
    who: 'fresh session',
    path: one,
    answer: { description: 'How many users it had.', shape: z.strictObject({ revoked: z.int() }) },
  }),
}

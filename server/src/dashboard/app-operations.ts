import { z } from 'zod'
import { auditShape, time, uuid } from '../identity/answer-shapes.ts'
import { MAX_EVENTS } from '../identity/audit-page.ts'
import { changing, reading } from '../identity/operation.ts'
import { appDecisions } from '../oauth/apps.ts'
import { applicationShape, changesShape } from '../oauth/app-form.ts'
import { decisionShape, logoShape } from './request-shapes.ts'

const statusShape = z.enum(['pending', 'approved', 'refused', 'suspended'])

const appShape = z.strictObject({
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

const appsShape = z.strictObject({ apps: z.array(appShape) })
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
}

export const operatorOperations = {
  apps: reading({
    summary: 'All apps',
    tag: 'Operators',
    who: 'operator',
    query: { status: { description: 'only these', shape: statusShape } },
    answer: { description: 'In the order of application.', shape: appsShape },
  }),
  decide: changing({
    summary: 'Decide about an app',
    description: 'It holds from the next request on. An approval of an app or of its changed redirect URIs (accept-changes) names the revision that was looked at.',
    tag: 'Operators',
    who: 'operator',
    path: { id: 'the clientId', decision: `one of ${appDecisions.join(', ')}` },
    body: decisionShape,
    answer: { description: 'The app.', shape: appShape },
    refusals: { 409: 'The app is in another status, or was changed since that revision.' },
  }),
  audit: reading({
    summary: 'What happened to all accounts and apps, newest first',
    tag: 'Operators',
    who: 'operator',
    query: {
      account: { description: 'of this account only', shape: uuid },
      first: { description: `at most so many, 1 to ${MAX_EVENTS}`, shape: z.int().min(1).max(MAX_EVENTS) },
      before: { description: 'a time, or `next` of the page before', shape: z.string() },
    },
    answer: { description: 'One page of events.', shape: auditShape },
  }),
}

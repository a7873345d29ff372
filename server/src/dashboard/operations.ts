import { z } from 'zod'
import { accountShape, auditShape, identityShape, passkeyShape, time, uuid } from '../api/answer-shapes.ts'
import { MAX_EVENTS } from '../audit/audit-page.ts'
import { changing, reading } from '../api/operation.ts'
import { profileShape, usernameShape } from '../accounts/profile.ts'
import {
  identityChangeShape,
  identityShape as namedIdentity,
  newIngestToken,
  newToken,
  unlinkShape,
} from './request-shapes.ts'

const page = {
  first: { description: `at most so many, 1 to ${MAX_EVENTS}`, shape: z.int().min(1).max(MAX_EVENTS) },
  before: { description: 'a time, or `next` of the page before', shape: z.string() },
}

const profile = z.strictObject({
  username: z.string(),
  avatar: z.string().describe('empty when there is none'),
  isPublic: z.boolean(),
})

const picture = {
  description: 'The image.',
  content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
}
const pictureRefusals = {
  404: 'There is no picture, or it cannot be fetched.',
  429: 'Too many pictures were fetched for the account within an hour.',
}

export const accountOperations = {
  profile: reading({
    summary: 'What the account shows on boards',
    tag: 'Account',
    answer: { description: 'The profile.', shape: profile },
  }),
  changeProfile: changing({
    summary: 'Change what the account shows on boards',
    description: 'On every board where a linked address stands.',
    tag: 'Account',
    body: profileShape,
    answer: { description: 'The profile.', shape: profile },
    refusals: { 409: 'The username is taken.', 429: 'Too many changes within an hour.' },
  }),
  ownAvatar: reading({
    summary: 'The picture of the account',
    description: 'The image behind the URL of the profile: PNG, JPEG or WebP of at most 256 KiB, kept for an hour.',
    tag: 'Account',
    query: { v: { description: 'ignored; another value avoids the cache of the browser', shape: z.string() } },
    answer: picture,
    refusals: pictureRefusals,
  }),
  avatar: reading({
    summary: 'The picture of a board member or a starboard user',
    description: 'PNG, JPEG or WebP of at most 256 KiB, kept for an hour.',
    tag: 'Account',
    query: {
      address: { description: 'of the board member, in canonical form', shape: z.string() },
      starboard: { description: 'the id of a starboard, in place of address', shape: z.string() },
      username: { description: 'with starboard: the X username', shape: z.string() },
      v: { description: 'ignored; another value avoids the cache of the browser', shape: z.string() },
    },
    answer: picture,
    refusals: pictureRefusals,
  }),
  change: changing({
    summary: 'Change the username',
    description: 'A username is one account’s, whatever the case of its letters.',
    tag: 'Account',
    body: z.strictObject({ username: usernameShape }),
    answer: { description: 'The account.', shape: accountShape },
    refusals: { 409: 'The username is taken.', 429: 'Too many changes within an hour.' },
  }),
  remove: changing({
    summary: 'Delete the account',
    description: 'Everything of it goes; all of its tokens end.',
    tag: 'Account',
    who: 'fresh session',
    answer: { status: 204, description: 'Deleted.' },
    refusals: { 409: 'The account owns apps; delete these first.' },
  }),
  audit: reading({
    summary: 'What happened to the account, newest first',
    tag: 'Account',
    query: page,
    answer: { description: 'One page of events.', shape: auditShape },
  }),
  sessions: reading({
    summary: 'Where the account is signed in',
    tag: 'Account',
    answer: {
      description: 'The sessions, the one used last first.',
      shape: z.strictObject({
        sessions: z.array(
          z.strictObject({
            sessionId: uuid,
            authenticatedAt: time,
            lastSeenAt: time,
            userAgent: z.string(),
            address: z.string(),
            current: z.boolean(),
          }),
        ),
      }),
    },
  }),
  endSession: changing({
    summary: 'Sign out in one browser',
    tag: 'Account',
    path: { id: 'the sessionId' },
    answer: { status: 204, description: 'Signed out there.' },
  }),
  endSessions: changing({
    summary: 'Sign out everywhere',
    tag: 'Account',
    answer: { status: 204, description: 'Signed out in every browser, this one too.' },
  }),
  identities: reading({
    summary: 'The identities and passkeys of the account',
    tag: 'Account',
    answer: {
      description: 'In the order of linking.',
      shape: z.strictObject({ identities: z.array(identityShape), passkeys: z.array(passkeyShape) }),
    },
  }),
  createdSince: reading({
    summary: 'What the account got since an identity or a passkey last signed in',
    description: 'Someone who stole a sign-in method may have made it. Without a sign-in, it counts from the linking.',
    tag: 'Account',
    query: {
      kind: { description: '`ServiceID` for a passkey', shape: namedIdentity.shape.kind, required: true },
      subject: { description: 'of a passkey its id', shape: namedIdentity.shape.subject, required: true },
    },
    answer: {
      description: 'Sessions other than this one, apps with new access, and live tokens that are new.',
      shape: z.strictObject({
        since: time,
        sessions: z.int(),
        apps: z.array(z.strictObject({ clientId: z.string(), name: z.string() })),
        tokens: z.array(z.strictObject({ tokenId: uuid, name: z.string(), type: z.enum(['server', 'ingest']) })),
      }),
    },
    refusals: { 404: 'It is not linked to this account.' },
  }),
  changeIdentity: changing({
    summary: 'Choose whether an identity counts for eligibility',
    description: 'If it is off, credentials see the identity only when a query names it, as if it were not linked.',
    tag: 'Account',
    body: identityChangeShape,
    answer: { description: 'The account.', shape: accountShape },
    refusals: {
      404: 'It is not linked to this account.',
      409: 'It never counts: a Telegram account, or a contract wallet of one chain.',
    },
  }),
  unlink: changing({
    summary: 'Unlink an identity, or remove a passkey',
    description: 'Ends what apps see of it, and all other sessions of the account.',
    tag: 'Account',
    who: 'fresh session',
    body: unlinkShape,
    answer: { description: 'The account.', shape: accountShape },
    refusals: { 404: 'It is not linked to this account.', 409: 'It is the only way to sign in.' },
  }),
}

const lastFour = z
  .string()
  .nullable()
  .describe('The last four characters of its value; null for a token that was made before they were stored')

export const tokenShape = z.strictObject({
  tokenId: uuid,
  accountId: uuid,
  name: z.string(),
  areas: z.array(z.string()),
  plan: z.string(),
  planNeedsOperator: z.boolean().describe('The account chose the plan as an operator; it ends with these rights'),
  createdAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  lastFour,
})
const issuedShape = tokenShape.extend({ token: z.string().describe('The value, shown this once') })

export const tokenOperations = {
  list: reading({
    summary: 'The server access tokens of the account',
    tag: 'Server access tokens',
    answer: {
      description: 'Oldest first, without their values.',
      shape: z.strictObject({ tokens: z.array(tokenShape.extend({ lastUsedAt: time.nullable() })) }),
    },
  }),
  create: changing({
    summary: 'Create a server access token for POST /query',
    tag: 'Server access tokens',
    body: newToken,
    answer: { status: 201, description: 'The token with its value.', shape: issuedShape },
    refusals: { 409: 'The account has as many tokens as it may have in one UTC day.' },
  }),
  regenerate: changing({
    summary: 'Give a token a new value',
    description: 'The old value stops at once.',
    tag: 'Server access tokens',
    path: { id: 'the tokenId' },
    answer: { description: 'The token with its new value.', shape: issuedShape },
    refusals: { 409: 'The token was revoked, or expired.' },
  }),
  revoke: changing({
    summary: 'Revoke a token',
    tag: 'Server access tokens',
    path: { id: 'the tokenId' },
    answer: { status: 204, description: 'The token is refused from now on.' },
  }),
  plans: reading({
    summary: 'The plans that the account may choose for its tokens',
    tag: 'Server access tokens',
    answer: {
      description: 'By name; null is without a limit.',
      shape: z.strictObject({
        plans: z.array(z.strictObject({ plan: z.string(), perSecond: z.int().nullable(), perDay: z.int().nullable() })),
      }),
    },
  }),
  usage: reading({
    summary: 'What the tokens were used for, by day',
    tag: 'Server access tokens',
    query: { days: { description: 'back from today, 1 to 90', shape: z.int().min(1).max(90) } },
    answer: {
      description: 'Requests by token, UTC day, operation and HTTP status, beside the quota of the token.',
      shape: z.strictObject({
        since: z.iso.date(),
        usage: z.array(
          z.strictObject({
            tokenId: uuid,
            name: z.string(),
            quota: z
              .strictObject({ plan: z.string(), perSecond: z.int().nullable(), perDay: z.int().nullable() })
              .describe('What the token may ask a second and a UTC day; null is without a limit'),
            days: z.array(
              z.strictObject({ day: z.iso.date(), operation: z.string(), status: z.int(), requests: z.int() }),
            ),
          }),
        ),
      }),
    },
  }),
}

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
  ownedOnly: z.boolean().describe('Writes of its scope only what the account owns at the time'),
  needsOperator: z.boolean().describe('Ends when its account is no longer an operator'),
  createdAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  lastUsedAt: time.nullable(),
  lastFour,
})
const issuedIngestShape = ingestTokenShape.extend({ token: z.string().describe('The value, shown this once') })

export const ingestTokenOperations = {
  list: reading({
    summary: 'The ingest tokens of the account',
    tag: 'Ingest tokens',
    answer: { description: 'Without their values.', shape: z.strictObject({ tokens: z.array(ingestTokenShape) }) },
  }),
  create: changing({
    summary: 'Create a token for the ingest API',
    description:
      'For what the account owns; an operator’s tokens may have any scope. A scope of `all` needs a sign-in at most an hour old (403 `fresh_sign_in_required`).',
    tag: 'Ingest tokens',
    body: newIngestToken,
    answer: { status: 201, description: 'The token with its value.', shape: issuedIngestShape },
    refusals: { 409: 'The account has as many live tokens as it may have.' },
  }),
  regenerate: changing({
    summary: 'Give an ingest token a new value',
    description:
      'The old value stops at once. A token with a scope of `all` needs a sign-in at most an hour old (403 `fresh_sign_in_required`).',
    tag: 'Ingest tokens',
    path: { id: 'the tokenId' },
    answer: { description: 'The token with its new value.', shape: issuedIngestShape },
    refusals: { 409: 'The token was revoked, or expired.' },
  }),
  revoke: changing({
    summary: 'Revoke an ingest token',
    tag: 'Ingest tokens',
    path: { id: 'the tokenId' },
    answer: { status: 204, description: 'The token is refused from now on.' },
  }),
}

const sharedShape = z
  .record(z.string(), z.array(z.strictObject({ subject: z.string(), username: z.string().nullable() })))
  .describe('The identities that the app sees for each scope: one of each sign-in that has a token alive')

export const authorizedAppOperations = {
  list: reading({
    summary: 'The apps that may see something of the account',
    tag: 'Account',
    answer: {
      description: 'The last consent first; last use is exact to the minute.',
      shape: z.strictObject({
        apps: z.array(
          z.strictObject({
            clientId: z.string(),
            name: z.string(),
            homepage: z.string(),
            logo: z.string().nullable(),
            scopes: z.array(z.string()),
            shared: sharedShape,
            grantedAt: time,
            lastUsedAt: time.nullable(),
          }),
        ),
      }),
    },
  }),
  withdraw: changing({
    summary: 'Take back what an app may see',
    description: 'Ends every token of that app for this account.',
    tag: 'Account',
    path: { clientId: 'of the app' },
    answer: { status: 204, description: 'The app sees nothing any more.' },
  }),
}

import { z } from 'zod'
import { accountShape, auditShape, identityShape, passkeyShape, time, uuid } from '../../api/response-shapes.ts'
import { MAX_EVENTS, readAuditQuery } from '../audit-page.ts'
import { nameParameter, readBody, readTextParameter, uuidParameter } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { profileShape, usernameShape } from './change-profile.ts'
import { imageUploadShape } from '../../images/uploaded-image.ts'
import { identityChangeShape, identityShape as namedIdentity, unlinkShape } from '../request-shapes.ts'

const page = {
  first: { description: `page size, 1 to ${MAX_EVENTS}`, shape: z.int().min(1).max(MAX_EVENTS) },
  before: { description: 'a time, or `next` of the previous page', shape: z.string() },
}

const profile = z.strictObject({
  username: z.string(),
  avatar: z.string().describe('empty if unset'),
  isPublic: z.boolean(),
  isUploaded: z.boolean().describe('whether the avatar is an uploaded picture'),
})

const MAX_NAME = 320

const readName = (query: Record<string, unknown>, field: string) => readTextParameter(field, query[field], 1, MAX_NAME)

const picture = {
  description: 'The image.',
  noContent: 'The picture cannot be fetched, or is not such an image.',
  content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
}
const pictureRefusals = {
  404: 'There is no picture.',
  429: 'Too many pictures were fetched for the account within an hour.',
}

export const accountDescriptions = {
  profile: {
    method: 'GET',
    path: '/api/profile',
    who: 'account',
    summary: 'Get the public profile',
    tag: 'Account',
    answer: { description: 'The profile.', shape: profile },
  },
  changeProfile: {
    method: 'PATCH',
    path: '/api/profile',
    who: 'account',
    summary: 'Change the public profile',
    description: 'Updates all boards with a linked address.',
    tag: 'Account',
    body: profileShape,
    answer: { description: 'The profile.', shape: profile },
    errors: { 409: 'The username is taken.', 429: 'Too many changes within an hour.' },
  },
  ownAvatar: {
    method: 'GET',
    path: '/api/profile/avatar',
    who: 'account',
    summary: 'Get the picture of the account',
    description:
      'The uploaded image, or the one at the URL of the profile: PNG, JPEG or WebP of at most 256 KiB, cached for an hour.',
    tag: 'Account',
    query: { v: { description: 'ignored; a new value bypasses the browser cache', shape: z.string() } },
    answer: picture,
    errors: pictureRefusals,
  },
  uploadAvatar: {
    method: 'PUT',
    path: '/api/profile/avatar',
    who: 'account',
    summary: 'Upload the picture of the account',
    description:
      'Stores the middle of the image as a square PNG without its metadata. The avatar of the profile becomes its address. A change of the avatar with `PATCH /api/profile` deletes it.',
    tag: 'Account',
    body: imageUploadShape,
    answer: { description: 'The profile.', shape: profile },
    errors: { 429: 'Too many changes within an hour.' },
  },
  publicAvatar: {
    method: 'GET',
    path: '/api/avatars/:username',
    who: 'anyone',
    summary: 'Get the uploaded picture of a public profile',
    tag: 'Account',
    params: { username: 'of the account' },
    answer: {
      description: 'The image.',
      content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
    },
    errors: {
      404: 'The profile is not public, or has no uploaded picture.',
      429: 'The network has read too many pictures.',
    },
  },
  avatar: {
    method: 'GET',
    path: '/api/avatars',
    who: 'account',
    summary: 'Get the picture of a board member or a starboard user',
    description: 'PNG, JPEG or WebP of at most 256 KiB, cached for an hour.',
    tag: 'Account',
    query: {
      address: { description: 'of the board member, in canonical form', shape: z.string() },
      starboard: { description: 'the id of a starboard, instead of address', shape: z.string() },
      username: { description: 'with starboard: the X username', shape: z.string() },
      v: { description: 'ignored; a new value bypasses the browser cache', shape: z.string() },
    },
    readQuery: (query) =>
      query.starboard === undefined
        ? { address: readName(query, 'address') }
        : { starboard: readName(query, 'starboard'), username: readName(query, 'username') },
    answer: picture,
    errors: pictureRefusals,
  },
  change: {
    method: 'PATCH',
    path: '/api/account',
    who: 'account',
    summary: 'Change the username',
    description: 'Usernames are unique, ignoring case.',
    tag: 'Account',
    body: z.strictObject({ username: usernameShape }),
    answer: { description: 'The account.', shape: accountShape },
    errors: { 409: 'The username is taken.', 429: 'Too many changes within an hour.' },
  },
  remove: {
    method: 'DELETE',
    path: '/api/account',
    who: 'account',
    recentSignIn: true,
    summary: 'Delete the account',
    description: 'Deletes all its data and revokes its tokens.',
    tag: 'Account',
    answer: { status: 204, description: 'Deleted.' },
    errors: { 409: 'The account owns apps; delete these first.' },
  },
  audit: {
    method: 'GET',
    path: '/api/audit',
    who: 'account',
    summary: 'List the audit events of the account, newest first',
    tag: 'Account',
    query: { ...page, app: { description: 'client ID: only events of this app', shape: z.string() } },
    readQuery: readAuditQuery,
    answer: { description: 'One page of events.', shape: auditShape },
  },
  sessions: {
    method: 'GET',
    path: '/api/sessions',
    who: 'account',
    summary: 'List the sessions of the account',
    tag: 'Account',
    answer: {
      description: 'The sessions, most recently used first.',
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
  },
  recentSignIn: {
    method: 'GET',
    path: '/api/sessions/recent',
    who: 'account',
    recentSignIn: true,
    summary: 'Check that the sign-in is recent',
    description: 'Call it before a long upload that needs a recent sign-in: its refusal would arrive after the file.',
    tag: 'Account',
    answer: { status: 204, description: 'The sign-in was within the last hour.' },
  },
  endSession: {
    method: 'DELETE',
    path: '/api/sessions/:id',
    who: 'account',
    summary: 'Sign out in one browser',
    tag: 'Account',
    params: { id: uuidParameter('the sessionId', 'Session') },
    answer: { status: 204, description: 'The session ended.' },
  },
  endSessions: {
    method: 'DELETE',
    path: '/api/sessions',
    who: 'account',
    summary: 'Sign out everywhere',
    tag: 'Account',
    answer: { status: 204, description: 'All sessions ended, including the current one.' },
  },
  identities: {
    method: 'GET',
    path: '/api/identities',
    who: 'account',
    summary: 'List the identities and passkeys of the account',
    tag: 'Account',
    answer: {
      description: 'In the order of linking.',
      shape: z.strictObject({ identities: z.array(identityShape), passkeys: z.array(passkeyShape) }),
    },
  },
  createdSince: {
    method: 'GET',
    path: '/api/identities/created-since',
    who: 'account',
    summary: 'List what was created since an identity or a passkey last signed in',
    description:
      'A thief of the sign-in method may have created it. Without a sign-in, the time of the linking counts.',
    tag: 'Account',
    query: {
      kind: { description: '`ServiceID` for a passkey', shape: namedIdentity.shape.kind, required: true },
      subject: { description: 'the id, for a passkey', shape: namedIdentity.shape.subject, required: true },
    },
    readQuery: (query) => readBody(namedIdentity, query),
    answer: {
      description: 'Other sessions, apps with new access, and new valid tokens.',
      shape: z.strictObject({
        since: time,
        sessions: z.int(),
        apps: z.array(z.strictObject({ clientId: z.string(), name: z.string() })),
        tokens: z.array(z.strictObject({ tokenId: uuid, name: z.string(), type: z.enum(['server', 'ingest']) })),
      }),
    },
    errors: { 404: 'The identity is not linked to this account.' },
  },
  changeIdentity: {
    method: 'PATCH',
    path: '/api/identities',
    who: 'account',
    summary: 'Choose whether an identity may be used for eligibility',
    description: 'If off, credentials consider the identity only in queries that name it.',
    tag: 'Account',
    body: identityChangeShape,
    answer: { description: 'The account.', shape: accountShape },
    errors: {
      404: 'The identity is not linked to this account.',
      409: 'The identity cannot be used for eligibility: a Telegram account, or a contract wallet.',
    },
  },
  unlink: {
    method: 'DELETE',
    path: '/api/identities',
    who: 'account',
    recentSignIn: true,
    summary: 'Unlink an identity, or remove a passkey',
    description: 'Ends what apps see of it, and all other sessions of the account.',
    tag: 'Account',
    body: unlinkShape,
    answer: { description: 'The account.', shape: accountShape },
    errors: { 404: 'The identity is not linked to this account.', 409: 'It is the only sign-in method.' },
  },
} as const satisfies Record<string, RouteDescription>

const sharedShape = z
  .record(z.string(), z.array(z.strictObject({ subject: z.string(), username: z.string().nullable() })))
  .describe('The identities that the app sees for each scope, one for each sign-in with a valid token')

export const authorizedAppDescriptions = {
  list: {
    method: 'GET',
    path: '/api/authorized-apps',
    who: 'account',
    summary: 'List the apps with access to the account',
    tag: 'Account',
    answer: {
      description: 'Newest consent first; the last use is accurate to one minute.',
      shape: z.strictObject({
        apps: z.array(
          z.strictObject({
            clientId: z.string(),
            name: z.string(),
            homepage: z.string(),
            logo: z.string().nullable(),
            publisher: z
              .string()
              .nullable()
              .describe('The host that publishes a client without registration; null for registered apps'),
            scopes: z.array(z.string()),
            shared: sharedShape,
            grantedAt: time,
            lastUsedAt: time.nullable(),
          }),
        ),
      }),
    },
  },
  withdraw: {
    method: 'DELETE',
    path: '/api/authorized-apps/:clientId',
    who: 'account',
    summary: 'Revoke the access of an app',
    description: 'Revokes all tokens of the app for this account.',
    tag: 'Account',
    params: { clientId: nameParameter('of the app', 'App') },
    answer: { status: 204, description: 'The access was revoked.' },
  },
} as const satisfies Record<string, RouteDescription>

import { z } from 'zod'
import { identityShape, time, uuid } from '../api/response-shapes.ts'
import { readCount, readTextParameter, uuidParameter } from '../api/read-body.ts'
import { canonicalMember } from '../addresses/addresses.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { unknownPage } from '../errors.ts'
import type { AccountPosition } from './people.queries.ts'

const tag = 'Operators'
const MAX_PAGE = 200
const MAX_SEARCH = 200
const params = { id: uuidParameter('of the account', 'Account') }
const errors = { 404: 'The account does not exist.' }

interface ListQuery {
  search: string
  first: number
  after: AccountPosition | undefined
}

function readListQuery({ search, first, after }: Record<string, unknown>): ListQuery {
  return {
    search: readTextParameter('search', search, 0, MAX_SEARCH).trim(),
    first: readCount('first', first, MAX_PAGE, MAX_PAGE),
    after: readPosition(after),
  }
}

function readPosition(after: unknown): AccountPosition | undefined {
  if (after === undefined) return undefined
  const [, at = '', id = ''] =
    /^(\d{4}-\d\d-\d\dT[\d:.]+Z)_([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/.exec(
      typeof after === 'string' ? after : '',
    ) ?? []
  const createdAt = new Date(at)
  if (id === '' || Number.isNaN(createdAt.getTime())) throw unknownPage('after')
  return { createdAt, id }
}

const tokenFields = {
  tokenId: uuid,
  name: z.string(),
  createdAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  lastUsedAt: time.nullable(),
}
const webhookFields = {
  webhookId: uuid,
  host: z.string().describe('Of its URL, whose other parts can be secret'),
  description: z.string(),
  events: z.array(z.string()),
  createdAt: time,
  disabledReason: z.string().nullable().describe('null if the webhook is enabled'),
}
const addressBody = z.strictObject({
  address: z
    .string()
    .transform((text, context) => {
      const address = canonicalMember(text)
      if (address !== undefined) return address
      context.issues.push({ code: 'custom', message: 'must be an address, a mail address or a handle', input: text })
      return z.NEVER
    })
    .describe('An address of any chain, a mail address or a handle, as on boards and in lists'),
})
const personFields = { id: uuid, username: z.string(), createdAt: time, operator: z.boolean() }

export const peopleDescriptions = {
  list: {
    method: 'GET',
    path: '/api/operator/people',
    who: 'operator',
    summary: 'List or search accounts',
    description:
      'Without `search`: all accounts, newest first. With it: accounts with this ID, a username that begins so, or an identity of this address, name or mail address.',
    tag,
    query: {
      search: { description: 'a username, an ID, an address or the name of an identity', shape: z.string() },
      first: { description: `page size, 1 to ${MAX_PAGE}`, shape: z.int().min(1).max(MAX_PAGE) },
      after: { description: 'the `next` of the previous page, without `search`', shape: z.string() },
    },
    readQuery: readListQuery,
    answer: {
      description: 'The accounts.',
      shape: z.strictObject({
        items: z.array(
          z.strictObject({
            ...personFields,
            suspendedAt: time.nullable(),
            identities: z.array(
              z.strictObject({ kind: z.string(), subject: z.string(), username: z.string().nullable() }),
            ),
            passkeys: z.int(),
          }),
        ),
        next: z.string().nullable(),
      }),
    },
  },
  view: {
    method: 'GET',
    path: '/api/operator/people/:id',
    who: 'operator',
    summary: 'Get an account with its identities, tokens, webhooks, apps, spaces and points',
    tag,
    params,
    answer: {
      description: 'The account.',
      shape: z.strictObject({
        ...personFields,
        suspension: z.strictObject({ suspendedAt: time, reason: z.string() }).nullable(),
        identities: z.array(identityShape),
        passkeys: z.int(),
        sessions: z.int(),
        lastSeenAt: time.nullable(),
        tokens: z.array(z.strictObject({ ...tokenFields, plan: z.string() })),
        ingestTokens: z.array(z.strictObject(tokenFields)),
        webhooks: z.array(z.strictObject(webhookFields)),
        apps: z.array(z.strictObject({ clientId: z.string(), name: z.string(), status: z.string() })),
        spaces: z.array(z.strictObject({ spaceId: z.int(), name: z.string(), role: z.string() })),
        points: z.array(
          z.strictObject({ spaceId: z.int(), name: z.string(), address: z.string(), points: z.number() }),
        ),
      }),
    },
    errors,
  },
  suspend: {
    method: 'POST',
    path: '/api/operator/people/:id/suspend',
    who: 'operator',
    recentSignIn: true,
    summary: 'Suspend an account',
    description:
      'It cannot sign in, its sessions end, its tokens are refused, apps lose access to it, and its webhooks are disabled.',
    tag,
    params,
    body: z.strictObject({ reason: z.string().describe('For operators, 1 to 500 characters') }),
    answer: {
      description: 'The suspension, and the number of ended sessions and disabled webhooks.',
      shape: z.strictObject({ suspendedAt: time, reason: z.string(), sessions: z.int(), webhooks: z.int() }),
    },
    errors: { ...errors, 409: 'The account is suspended already, or it is your own.' },
  },
  resume: {
    method: 'POST',
    path: '/api/operator/people/:id/resume',
    who: 'operator',
    recentSignIn: true,
    summary: 'End the suspension of an account',
    tag,
    params,
    answer: { status: 204, description: 'The account can sign in, and its tokens work.' },
    errors: { ...errors, 409: 'The account is not suspended.' },
  },
  grantOperator: {
    method: 'PUT',
    path: '/api/operator/people/:id/operator',
    who: 'operator',
    recentSignIn: true,
    summary: 'Make an account an operator',
    tag,
    params,
    answer: { status: 204, description: 'The account is an operator.' },
    errors,
  },
  withdrawOperator: {
    method: 'DELETE',
    path: '/api/operator/people/:id/operator',
    who: 'operator',
    recentSignIn: true,
    summary: 'Withdraw the rights of another operator',
    description: 'This also ends what the account may have only as an operator, like `questboard operator withdraw`.',
    tag,
    params,
    answer: { status: 204, description: 'The account is no operator.' },
    errors: { ...errors, 409: 'The account is your own.' },
  },
  invite: {
    method: 'POST',
    path: '/api/operator/invitations',
    who: 'operator',
    recentSignIn: true,
    summary: 'Create a one-time link that makes an account an operator',
    description: 'Like `questboard operator invite`. The link is in this response only.',
    tag,
    answer: {
      status: 201,
      description: 'The link.',
      shape: z.strictObject({ url: z.url(), expiresAt: time }),
    },
  },
  export: {
    method: 'POST',
    path: '/api/operator/people/:id/export',
    who: 'operator',
    recentSignIn: true,
    summary: 'Export all data about an account',
    description: 'Like `questboard person export`. The log has an entry.',
    tag,
    params,
    answer: { description: 'The data, by table.', shape: z.looseObject({ exportedAt: time }) },
    errors,
  },
  erase: {
    method: 'DELETE',
    path: '/api/operator/people/:id',
    who: 'operator',
    recentSignIn: true,
    summary: 'Delete an account with its data',
    description: 'Like `questboard person erase`. Data under its addresses remains in spaces and lists.',
    tag,
    params,
    answer: { status: 204, description: 'Deleted.' },
    errors: { ...errors, 409: 'The account owns apps, or it is your own.' },
  },
  revokeToken: {
    method: 'DELETE',
    path: '/api/operator/people/:id/tokens/:token',
    who: 'operator',
    recentSignIn: true,
    summary: 'Revoke a server token of an account',
    tag,
    params: { ...params, token: uuidParameter('the tokenId', 'Token') },
    answer: { status: 204, description: 'The token is revoked.' },
    errors: { 404: 'The account does not exist, or has no such token.' },
  },
  revokeIngestToken: {
    method: 'DELETE',
    path: '/api/operator/people/:id/ingest-tokens/:token',
    who: 'operator',
    recentSignIn: true,
    summary: 'Revoke an ingest token of an account',
    tag,
    params: { ...params, token: uuidParameter('the tokenId', 'Token') },
    answer: { status: 204, description: 'The token is revoked.' },
    errors: { 404: 'The account does not exist, or has no such token.' },
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/api/operator/people/:id/webhooks/:webhook',
    who: 'operator',
    recentSignIn: true,
    summary: 'Delete a webhook of an account',
    description: 'Like `questboard webhook delete`: with its log. Pending messages are not sent.',
    tag,
    params: { ...params, webhook: uuidParameter('of the webhook', 'Webhook') },
    answer: { status: 204, description: 'The webhook is deleted.' },
    errors: { 404: 'The account does not exist, or has no such webhook.' },
  },
  exportAddress: {
    method: 'POST',
    path: '/api/operator/addresses/export',
    who: 'operator',
    recentSignIn: true,
    summary: 'Export all data about an address without an account',
    description: 'Like `questboard person export --address`. The log has an entry without the address.',
    tag,
    body: addressBody,
    answer: {
      description: 'The data, by table.',
      shape: z.strictObject({
        exportedAt: time,
        addresses: z.array(z.string()).describe('The address in its canonical form'),
        underAddresses: z.record(z.string(), z.array(z.looseObject({}))),
      }),
    },
  },
  eraseAddress: {
    method: 'POST',
    path: '/api/operator/addresses/erase',
    who: 'operator',
    recentSignIn: true,
    summary: 'Erase an address from boards, quests, starboard links and bans',
    description: 'Like `questboard person erase --address`. The log has an entry without the address.',
    tag,
    body: addressBody,
    answer: {
      description: 'The number of objects that contained the address.',
      shape: z.strictObject({ boards: z.int(), quests: z.int(), links: z.int(), bans: z.int() }),
    },
  },
} as const satisfies Record<string, RouteDescription>

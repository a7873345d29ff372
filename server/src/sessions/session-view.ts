import type { FastifyReply, FastifyRequest } from 'fastify'
import { markOf } from '../addresses/account-address.ts'
import {
  findAccountName,
  type Identity,
  isOperator,
  listAccountAddresses,
  listIdentities,
} from '../accounts/account.queries.ts'
import { ensureBrowser, markSession, sessionCookieOf } from './cookies.ts'
import { csrfTokenOf } from './csrf.ts'
import { listPasskeys } from '../accounts/passkey.queries.ts'
import { findSession } from './session.queries.ts'
import { SESSION_IDLE_LIFETIME } from '../lifetimes.ts'
import { hashOf } from '../secrets/hashes.ts'
import { later, nowOf, type Services } from '../services.ts'

export interface AccountView {
  id: string
  username: string
  operator: boolean
  identities: IdentityView[]
  /** The names of its own addresses on public pages. */
  marks: string[]
  passkeys: { id: string; createdAt: string; lastUsedAt: string | null }[]
}

export interface IdentityView {
  kind: string
  subject: string
  username: string | null
  linkedAt: string
  useForEligibility: boolean | null
}

export interface SessionView {
  csrfToken: string
  account: AccountView | null
}

/** `GET /api/session`. @param cookie the session cookie, if this response sets it */
export async function viewSession(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  cookie = sessionCookieOf(services, request),
): Promise<SessionView> {
  const browser = ensureBrowser(services, request, reply)
  const now = nowOf(services)
  const session =
    cookie === undefined
      ? undefined
      : await findSession(services.database, hashOf(cookie), now, later(now, -SESSION_IDLE_LIFETIME))
  markSession(services, request, reply, session !== undefined)
  return {
    csrfToken: csrfTokenOf(services, browser, cookie),
    account: session ? await viewAccount(services, session.accountId) : null,
  }
}

export async function viewAccount(services: Services, accountId: string): Promise<AccountView | null> {
  const { kysely } = services.database
  const [username, identities, passkeys, own, operator] = await Promise.all([
    findAccountName(kysely, accountId),
    listIdentities(kysely, accountId),
    listPasskeys(kysely, accountId),
    listAccountAddresses(kysely, accountId),
    isOperator(kysely, accountId),
  ])
  if (username === undefined) return null
  return {
    id: accountId,
    username,
    operator,
    identities: identities.map(viewIdentity),
    marks: own.flatMap((address) => markOf(address) ?? []),
    passkeys: passkeys.map((passkey) => ({
      id: passkey.passkeyId,
      createdAt: passkey.createdAt.toISOString(),
      lastUsedAt: passkey.lastUsedAt?.toISOString() ?? null,
    })),
  }
}

function viewIdentity(identity: Identity): IdentityView {
  return { ...identity, linkedAt: identity.linkedAt.toISOString() }
}

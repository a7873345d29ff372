import { listIngestTokens } from '../access/ingest-tokens.ts'
import { listServerTokens } from '../access/server-tokens.ts'
import { findSuspension } from '../accounts/suspension.queries.ts'
import { findAccountByName, isOperator, listIdentities } from '../accounts/account.queries.ts'
import { notFound } from '../errors.ts'
import { countPasskeys } from './people.queries.ts'
import { readBalances } from '../ledger/own-points.queries.ts'
import { SESSION_IDLE_LIFETIME } from '../lifetimes.ts'
import { listApps } from '../oauth/app.queries.ts'
import { namesOfIdentities } from '../personal-data/names.ts'
import { identitiesOf } from '../personal-data/person.queries.ts'
import { later, nowOf, type Services } from '../services.ts'
import { listSessions } from '../sessions/session.queries.ts'
import { MAX_SESSIONS } from '../sessions/session.ts'
import { listEndpointRows } from '../webhooks/endpoints.queries.ts'
import { findSpacesOf } from '../teams/roles.queries.ts'

const MAX_BALANCES = 200

/** An account for operators: its identities, tokens, webhooks, apps, spaces and points. @throws ApiError not_found */
export async function readProfile(services: Services, accountId: string) {
  const { database } = services
  const { kysely } = database
  const account = await findAccountByName(kysely, accountId)
  if (!account) throw notFound('Account')
  const now = nowOf(services)
  const idleSince = later(now, -SESSION_IDLE_LIFETIME)
  const proven = await identitiesOf(kysely, accountId)
  const members = namesOfIdentities(proven.identities, proven.aliases).members
  const [operator, suspension, identities, passkeys, sessions, tokens, ingestTokens, webhooks, apps, spaces, balances] =
    await Promise.all([
      isOperator(kysely, accountId),
      findSuspension(kysely, accountId),
      listIdentities(kysely, accountId),
      countPasskeys(kysely, [accountId]),
      listSessions(kysely, accountId, { now, idleSince, limit: MAX_SESSIONS }),
      listServerTokens(database, accountId),
      listIngestTokens(database, accountId),
      listEndpointRows(kysely, accountId),
      listApps(database, { ownerAccountId: accountId }),
      findSpacesOf(kysely, accountId, 'view'),
      readBalances(kysely, members, { by: 'name', limit: MAX_BALANCES }),
    ])
  return {
    ...account,
    operator,
    suspension,
    identities,
    passkeys: passkeys.get(accountId) ?? 0,
    sessions: sessions.length,
    lastSeenAt: sessions[0]?.lastSeenAt ?? null,
    tokens: tokens.map(({ tokenId, name, plan, createdAt, expiresAt, revokedAt, lastUsedAt = null }) => ({
      tokenId,
      name,
      plan,
      createdAt,
      expiresAt,
      revokedAt,
      lastUsedAt,
    })),
    ingestTokens: ingestTokens.map(({ tokenId, name, createdAt, expiresAt, revokedAt, lastUsedAt }) => ({
      tokenId,
      name,
      createdAt,
      expiresAt,
      revokedAt,
      lastUsedAt,
    })),
    webhooks: webhooks.map((row) => ({
      webhookId: row.endpoint_id,
      host: new URL(row.url).host,
      description: row.description,
      events: row.event_types,
      createdAt: row.created_at,
      disabledReason: row.disabled_reason,
    })),
    apps: apps.map(({ clientId, name, status }) => ({ clientId, name, status })),
    spaces,
    points: balances.map(({ spaceId, space, address, points }) => ({ spaceId, name: space, address, points })),
  }
}

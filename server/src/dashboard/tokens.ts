import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import {
  createToken,
  type IssuedToken,
  type ListedToken,
  listServerTokens,
  regenerateToken,
  revokeToken,
  TokenInputError,
} from '../access/server-tokens.ts'
import { listPlans } from '../access/plans.queries.ts'
import type { TokenRecord } from '../access/server-tokens.queries.ts'
import { readUsage } from '../access/usage.queries.ts'
import { DAY } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { conflict, invalidField, notFound } from '../identity/api-error.ts'
import { networkOf } from '../identity/attempts.ts'
import { audit } from '../identity/audit.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { readBody, readUuid } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { withAccount } from '../identity/with-account.ts'
import { tokenOperations } from './operations.ts'
import { newToken } from './request-shapes.ts'

/** Quotas are counted by token: an account cannot multiply its own without end. */
const MAX_LIVE_TOKENS = 10
const MAX_USAGE_DAYS = 90
const DEFAULT_USAGE_DAYS = 30

type TokenRequest = FastifyRequest<{ Params: { id: string } }>

/** `/api/tokens` and `/api/usage`: an account's server access tokens (spec 5.1) and what they were used for. */
export function registerTokens(scope: FastifyInstance, signIn: SignIn): void {
  scope.get('/api/tokens', tokenOperations.list, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    const tokens = await listServerTokens(signIn.database, accountId)
    return { tokens: tokens.map(viewListed) }
  })

  scope.post('/api/tokens', tokenOperations.create, async (request, reply) => {
    checkCsrf(signIn, request)
    const { accountId } = await requireSession(signIn, request)
    const { name, areas, expiresAt } = readBody(newToken, request.body)
    const issued = await withAccount(signIn, accountId, async (trx) => {
      const existing = await listServerTokens({ kysely: trx }, accountId)
      if (existing.filter((token) => isLive(token, signIn)).length >= MAX_LIVE_TOKENS)
        throw conflict('too_many_tokens', `An account may have ${MAX_LIVE_TOKENS} tokens; revoke one first`)
      const wanted = {
        accountId,
        name,
        ...(areas && { areas }),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
      }
      const created = await naming(createToken({ ...signIn, database: { kysely: trx } }, wanted))
      await note(signIn, request, accountId, 'token.created', created.record, trx)
      return created
    })
    return reply.code(201).send(viewIssued(issued))
  })

  // The old value stops at once; the new one is shown this once.
  scope.post('/api/tokens/:id/regenerate', tokenOperations.regenerate, async (request: TokenRequest) => {
    checkCsrf(signIn, request)
    const token = await ownToken(signIn, request)
    if (token.revokedAt) throw conflict('token_revoked', 'This token was revoked; create a new one')
    const issued = await naming(regenerateToken(signIn, token.tokenId))
    await note(signIn, request, token.accountId, 'token.regenerated', token)
    return viewIssued(issued)
  })

  scope.delete('/api/tokens/:id', tokenOperations.revoke, async (request: TokenRequest, reply) => {
    checkCsrf(signIn, request)
    const token = await ownToken(signIn, request)
    if (!token.revokedAt) {
      await naming(revokeToken(signIn, token.tokenId))
      await note(signIn, request, token.accountId, 'token.revoked', token)
    }
    return reply.code(204).send()
  })

  scope.get('/api/usage', tokenOperations.usage, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    const since = sinceDay(signIn, request.query)
    const tokens = await listServerTokens(signIn.database, accountId)
    const plans = await listPlans(signIn.database.kysely)
    const usage = await Promise.all(
      tokens.map(async ({ tokenId, name, plan }) => {
        const { perSecond = null, perDay = null } = plans.find((known) => known.plan === plan) ?? {}
        const days = await readUsage(signIn.database.kysely, tokenId, since)
        return {
          tokenId,
          name,
          quota: { plan, perSecond, perDay },
          days: days.map(({ day, operation, status, requests }) => ({ day, operation, status, requests })),
        }
      }),
    )
    return { since, usage }
  })
}

function sinceDay(signIn: SignIn, query: unknown): string {
  const { days = String(DEFAULT_USAGE_DAYS) } = query as { days?: unknown }
  if (typeof days !== 'string' || !/^\d{1,2}$/.test(days) || Number(days) < 1 || Number(days) > MAX_USAGE_DAYS)
    throw invalidField('days', `must be 1 to ${MAX_USAGE_DAYS}`)
  return new Date(signIn.clock.now() - (Number(days) - 1) * DAY).toISOString().slice(0, 10)
}

async function ownToken(signIn: SignIn, request: TokenRequest): Promise<ListedToken> {
  const { accountId } = await requireSession(signIn, request)
  const id = readUuid(request.params.id, 'Token')
  const token = (await listServerTokens(signIn.database, accountId)).find(({ tokenId }) => tokenId === id)
  if (!token) throw notFound('Token')
  return token
}

/** The checks of the tokens' own module, as errors of this API. */
async function naming<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TokenInputError) throw invalidField(error.field, `cannot be used: ${error.message}`)
    throw error
  }
}

function note(
  signIn: SignIn,
  request: FastifyRequest,
  accountId: string,
  event: 'token.created' | 'token.regenerated' | 'token.revoked',
  { tokenId, name }: TokenRecord,
  kysely: Kysely<DB> = signIn.database.kysely,
): Promise<void> {
  return audit(signIn, { accountId, event, address: networkOf(request.ip), details: { tokenId, name } }, kysely)
}

const isLive = (token: TokenRecord, { clock }: SignIn) =>
  token.revokedAt === null && (token.expiresAt === null || token.expiresAt.getTime() > clock.now())

const viewIssued = ({ token, record }: IssuedToken) => ({ token, ...record })
const viewListed = ({ lastUsedAt, ...token }: ListedToken) => ({ ...token, lastUsedAt: lastUsedAt ?? null })

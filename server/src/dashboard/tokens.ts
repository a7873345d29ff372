import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import { listPlans } from '../access/plans.queries.ts'
import {
  createToken,
  type IssuedToken,
  type ListedToken,
  listServerTokens,
  regenerateToken,
  revokeToken,
} from '../access/server-tokens.ts'
import type { TokenRecord } from '../access/server-tokens.queries.ts'
import type { DB } from '../database/tables.ts'
import { isOperator } from '../accounts/account.queries.ts'
import { invalidField, operatorRequired } from '../api/api-error.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { readBody } from '../api/read-body.ts'
import { requireSession } from '../sessions/session.ts'
import type { Services } from '../services.ts'
import { tokenOperations } from './operations.ts'
import { makeToken, registerOwnTokens, type TokenKind } from './own-tokens.ts'
import { newToken } from './request-shapes.ts'

const kind: TokenKind<TokenRecord> = {
  path: '/api/tokens',
  event: 'token',
  dailyQuota: true,
  operations: tokenOperations,
  list: ({ database }, accountId) => listServerTokens(database, accountId),
  async regenerate(within, tokenId) {
    const issued = await regenerateToken(within, tokenId)
    const { planNeedsOperator, accountId } = issued.record
    if (planNeedsOperator && !(await isOperator(within.database.kysely, accountId))) throw operatorRequired()
    return issued
  },
  revoke: revokeToken,
}

/** `/api/tokens`, `/api/plans`: an account's server access tokens (spec 5.1), and the plans that it may choose. */
export function registerTokens(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  scope.get(kind.path, tokenOperations.list, async (request) => {
    const { accountId } = await requireSession(services, request)
    const tokens = await listServerTokens(services.database, accountId)
    return { tokens: tokens.map(viewListed) }
  })

  scope.get('/api/plans', tokenOperations.plans, async (request) => {
    const { accountId } = await requireSession(services, request)
    const plans = await choosablePlans(kysely, accountId)
    return { plans: plans.map(({ plan, perSecond, perDay }) => ({ plan, perSecond, perDay })) }
  })

  scope.post(kind.path, tokenOperations.create, async (request, reply) => {
    checkCsrf(services, request)
    await requireSession(services, request)
    const { name, areas, plan, expiresAt } = readBody(newToken, request.body)
    const issued = await makeToken(services, request, kind, async (within, accountId) => {
      const planNeedsOperator = plan !== undefined && !(await isOpenChoice(within.database.kysely, accountId, plan))
      return createToken(within, {
        accountId,
        name,
        ...(areas && { areas }),
        ...(plan !== undefined && { plan, planNeedsOperator }),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
      })
    })
    return reply.code(201).send(viewIssued(issued))
  })

  registerOwnTokens(scope, services, kind, viewIssued)
}

/** What an operator has opened; an operator may choose any. */
async function choosablePlans(kysely: Kysely<DB>, accountId: string) {
  const [plans, operator] = await Promise.all([listPlans(kysely), isOperator(kysely, accountId)])
  return plans.filter(({ open }) => open || operator)
}

/** Whether every account may choose the plan. @throws ApiError when this account may not */
async function isOpenChoice(kysely: Kysely<DB>, accountId: string, plan: string): Promise<boolean> {
  const plans = await choosablePlans(kysely, accountId)
  const chosen = plans.find((one) => one.plan === plan)
  if (!chosen) throw invalidField('plan', `must be one of ${plans.map((one) => one.plan).join(', ')}`)
  return chosen.open
}

const viewIssued = ({ token, record }: IssuedToken) => ({ token, ...record })
const viewListed = ({ lastUsedAt, ...token }: ListedToken) => ({ ...token, lastUsedAt: lastUsedAt ?? null })

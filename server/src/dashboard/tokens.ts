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
import { isOperator } from '../identity/account.queries.ts'
import { invalidField } from '../identity/api-error.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { readBody } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { tokenOperations } from './operations.ts'
import { makeToken, registerOwnTokens, type TokenKind } from './own-tokens.ts'
import { newToken } from './request-shapes.ts'

const kind: TokenKind<TokenRecord> = {
  path: '/api/tokens',
  event: 'token',
  dailyQuota: true,
  operations: tokenOperations,
  list: ({ database }, accountId) => listServerTokens(database, accountId),
  regenerate: regenerateToken,
  revoke: revokeToken,
}

/** `/api/tokens`, `/api/plans`: an account's server access tokens (spec 5.1), and the plans that it may choose. */
export function registerTokens(scope: FastifyInstance, signIn: SignIn): void {
  const { kysely } = signIn.database

  scope.get(kind.path, tokenOperations.list, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    const tokens = await listServerTokens(signIn.database, accountId)
    return { tokens: tokens.map(viewListed) }
  })

  scope.get('/api/plans', tokenOperations.plans, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    const plans = await choosablePlans(kysely, accountId)
    return { plans: plans.map(({ plan, perSecond, perDay }) => ({ plan, perSecond, perDay })) }
  })

  scope.post(kind.path, tokenOperations.create, async (request, reply) => {
    checkCsrf(signIn, request)
    await requireSession(signIn, request)
    const { name, areas, plan, expiresAt } = readBody(newToken, request.body)
    const issued = await makeToken(signIn, request, kind, async (within, accountId) => {
      if (plan !== undefined) await checkChoice(within.database.kysely, accountId, plan)
      return createToken(within, {
        accountId,
        name,
        ...(areas && { areas }),
        ...(plan !== undefined && { plan }),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
      })
    })
    return reply.code(201).send(viewIssued(issued))
  })

  registerOwnTokens(scope, signIn, kind, viewIssued)
}

/** What an operator has opened; an operator may choose any. */
async function choosablePlans(kysely: Kysely<DB>, accountId: string) {
  const [plans, operator] = await Promise.all([listPlans(kysely), isOperator(kysely, accountId)])
  return plans.filter(({ open }) => open || operator)
}

async function checkChoice(kysely: Kysely<DB>, accountId: string, plan: string): Promise<void> {
  const plans = (await choosablePlans(kysely, accountId)).map((one) => one.plan)
  if (!plans.includes(plan)) throw invalidField('plan', `must be one of ${plans.join(', ')}`)
}

const viewIssued = ({ token, record }: IssuedToken) => ({ token, ...record })
const viewListed = ({ lastUsedAt, ...token }: ListedToken) => ({ ...token, lastUsedAt: lastUsedAt ?? null })

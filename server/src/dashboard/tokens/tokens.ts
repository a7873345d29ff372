import { fault } from '../../texts/faults.ts'
import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import { listPlans } from '../../access/plans.queries.ts'
import {
  createToken,
  type IssuedToken,
  type ListedToken,
  listServerTokens,
  regenerateToken,
  revokeToken,
} from '../../access/server-tokens.ts'
import type { TokenRecord } from '../../access/server-tokens.queries.ts'
import type { DB } from '../../database/tables.ts'
import { isOperator } from '../../accounts/account.queries.ts'
import { invalidField, operatorRequired } from '../../errors.ts'
import { route } from '../../api/route.ts'
import type { Services } from '../../services.ts'
import { tokenDescriptions } from './token-route-descriptions.ts'
import { makeToken, registerOwnTokens, type TokenKind } from './own-tokens.ts'

const kind: TokenKind<TokenRecord> = {
  event: 'token',
  dailyQuota: true,
  operations: tokenDescriptions,
  list: ({ database }, accountId) => listServerTokens(database, accountId),
  async regenerate(within, tokenId) {
    const issued = await regenerateToken(within, tokenId)
    const { planNeedsOperator, accountId } = issued.record
    if (planNeedsOperator && !(await isOperator(within.database.kysely, accountId))) throw operatorRequired()
    return issued
  },
  revoke: revokeToken,
}

/** `/api/tokens`, `/api/plans`: the account's server tokens and the plans to choose from. */
export function registerTokens(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, tokenDescriptions.list, async ({ accountId }) => {
    const tokens = await listServerTokens(services.database, accountId)
    return { tokens: tokens.map(viewListed) }
  })

  route(scope, services, tokenDescriptions.plans, async ({ accountId }) => {
    const plans = await choosablePlans(kysely, accountId)
    return { plans: plans.map(({ plan, perSecond, perDay }) => ({ plan, perSecond, perDay })) }
  })

  route(scope, services, tokenDescriptions.create, async (call) => {
    const { name, areas, plan, expiresAt, origins, spaces = [] } = call.body
    if (!origins && spaces.length > 0)
      throw invalidField('spaces', 'needs origins: only publishable tokens have spaces', fault('only_publishable'))
    const issued = await makeToken(call, kind, async (within, accountId) => {
      const planNeedsOperator = plan !== undefined && !(await isOpenChoice(within.database.kysely, accountId, plan))
      return createToken(within, {
        accountId,
        name,
        ...(areas && { areas }),
        ...(origins && { publishable: { origins, spaces } }),
        ...(plan !== undefined && { plan, planNeedsOperator }),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
      })
    })
    return viewIssued(issued)
  })

  registerOwnTokens(scope, services, kind, viewIssued)
}

/** The open plans, or all plans for an operator. */
async function choosablePlans(kysely: Kysely<DB>, accountId: string) {
  const [plans, operator] = await Promise.all([listPlans(kysely), isOperator(kysely, accountId)])
  return plans.filter(({ open }) => open || operator)
}

/** Whether the plan is open to all accounts. @throws ApiError if this account cannot choose it */
async function isOpenChoice(kysely: Kysely<DB>, accountId: string, plan: string): Promise<boolean> {
  const plans = await choosablePlans(kysely, accountId)
  const chosen = plans.find((one) => one.plan === plan)
  if (!chosen)
    throw invalidField(
      'plan',
      `must be one of ${plans.map((one) => one.plan).join(', ')}`,
      fault('not_one_of', { allowed: plans.map((one) => one.plan) }),
    )
  return chosen.open
}

const viewIssued = ({ token, record }: IssuedToken) => ({ token, ...record })
const viewListed = ({ lastUsedAt, ...token }: ListedToken) => ({ ...token, lastUsedAt: lastUsedAt ?? null })

import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { PLANS_FROM_SETTINGS } from '../../access/plans.ts'
import {
  countTokensByPlan,
  deletePlan,
  insertPlan,
  listPlans,
  type PlanLimits,
  planNames,
  upsertPlan,
} from '../../access/plans.queries.ts'
import { changePlan, listServerTokens } from '../../access/server-tokens.ts'
import type { DB } from '../../database/tables.ts'
import { findAccountByName, listIdentities } from '../../accounts/account.queries.ts'
import { conflict, fieldConflict, notFound } from '../../errors.ts'
import { audit } from '../../audit/audit.ts'
import { readUuid } from '../../api/read-body.ts'
import { type AccountCaller, route } from '../../api/route.ts'
import { nowOf, type Services } from '../../services.ts'
import { withOperator } from '../../sessions/with-account.ts'
import { operatorDescriptions } from './route-descriptions.ts'
import { namingTokenFields } from '../tokens/token-fields.ts'

/** `/api/operator/plans…`, `/api/operator/tokens…`: plans, and the plans of tokens. */
export function registerOperatorPlans(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const noteChange = (
    { network, accountId }: Pick<AccountCaller, 'accountId'> & { network: string },
    plan: string,
    limits: PlanLimits,
    transaction: Transaction<DB>,
  ) => audit(services, { accountId, event: 'plan.changed', network, details: shown(plan, limits) }, transaction)

  route(scope, services, operatorDescriptions.plans, async () => {
    const [plans, counts] = await Promise.all([listPlans(kysely), countTokensByPlan(kysely, nowOf(services))])
    return {
      plans: plans.map((plan) => ({
        ...plan,
        tokens: counts.get(plan.plan) ?? 0,
        fromSettings: PLANS_FROM_SETTINGS.includes(plan.plan),
      })),
    }
  })

  route(scope, services, operatorDescriptions.makePlan, async (call) => {
    const { services, session, body: made } = call
    const { plan } = made
    await withOperator(services, session, async (transaction) => {
      if (!(await insertPlan(transaction, made)))
        throw fieldConflict('plan', 'plan_exists', `The plan ${plan} exists; change it instead`)
      await noteChange(call, plan, made, transaction)
    })
    return made
  })

  route(scope, services, operatorDescriptions.setPlan, async (call) => {
    const { services, session, params, body: limits } = call
    const { plan } = params
    if (PLANS_FROM_SETTINGS.includes(plan)) throw ofSettings(plan)
    await withOperator(services, session, async (transaction) => {
      await upsertPlan(transaction, plan, limits)
      await noteChange(call, plan, limits, transaction)
    })
    return { plan, ...limits }
  })

  route(scope, services, operatorDescriptions.deletePlan, async ({ services, session, accountId, network, params }) => {
    const { plan } = params
    if (PLANS_FROM_SETTINGS.includes(plan)) throw ofSettings(plan)
    await withOperator(services, session, async (transaction) => {
      if (!(await planNames(transaction)).includes(plan)) throw notFound('Plan')
      if (!(await deletePlan(transaction, plan)))
        throw conflict('plan_in_use', `Tokens have used the plan ${plan}; used plans cannot be deleted`)
      await audit(services, { accountId, event: 'plan.deleted', network, details: { plan } }, transaction)
    })
  })

  route(scope, services, operatorDescriptions.tokens, async ({ services, query: account }) => {
    const found = await findAccountByName(kysely, account)
    if (!found) throw notFound('Account')
    const [tokens, identities] = await Promise.all([
      listServerTokens(services.database, found.id),
      listIdentities(kysely, found.id),
    ])
    // Includes the identities, because any user can take any free name.
    return {
      account: { ...found, identities },
      tokens: tokens.map((token) => ({ ...token, lastUsedAt: token.lastUsedAt ?? null })),
    }
  })

  route(scope, services, operatorDescriptions.choosePlan, async ({ services, session, network, params, body }) => {
    const { plan } = body
    const tokenId = readUuid(params.id, 'Token')
    await withOperator(services, session, async (kysely) => {
      const within = { ...services, database: { ...services.database, kysely } }
      const { accountId, name } = await namingTokenFields(
        changePlan(within, tokenId, { plan, assignedBy: session.accountId }),
      )
      // The owner of the token can read this entry, so it does not name the operator.
      const details = { tokenId, name, plan, by: 'operator' }
      await audit(services, { accountId, event: 'token.plan-changed', network, details }, kysely)
    })
    return { tokenId, plan }
  })
}

const ofSettings = (plan: string) =>
  conflict('plan_from_settings', `The plan ${plan} comes from the settings (docs/settings.md); create another plan`)

const shown = (plan: string, { perSecond, perDay }: PlanLimits) => ({
  plan,
  perSecond: String(perSecond ?? 'unlimited'),
  perDay: String(perDay ?? 'unlimited'),
})

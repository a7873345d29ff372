import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { PLANS_FROM_SETTINGS } from '../access/plans.ts'
import {
  countTokensByPlan,
  deletePlan,
  insertPlan,
  listPlans,
  type PlanLimits,
  planNames,
  upsertPlan,
} from '../access/plans.queries.ts'
import { changePlan, listServerTokens } from '../access/server-tokens.ts'
import type { DB } from '../database/tables.ts'
import { findAccountByName, listIdentities } from '../accounts/account.queries.ts'
import { conflict, invalidField, notFound } from '../api/api-error.ts'
import { audit } from '../audit/audit.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { readBody, readUuid } from '../api/read-body.ts'
import { nowOf, type Services } from '../services.ts'
import { type AskingSession, withOperator } from '../sessions/with-account.ts'
import { operatorOperations } from './operator-operations.ts'
import { newPlanShape, PLAN_NAME, PLAN_NAME_RULE, planChoiceShape, planShape } from './request-shapes.ts'
import { requireFreshOperator, requireOperator } from './require-operator.ts'
import { namingTokenFields } from './token-fields.ts'

/** `/api/operator/plans…`, `/api/operator/tokens…`: how much tokens may ask, and which token is on which plan. */
export function registerOperatorPlans(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const noteChange = (
    { network }: FastifyRequest,
    { accountId }: AskingSession,
    plan: string,
    limits: PlanLimits,
    transaction: Transaction<DB>,
  ) => audit(services, { accountId, event: 'plan.changed', network, details: shown(plan, limits) }, transaction)

  scope.get('/api/operator/plans', operatorOperations.plans, async (request) => {
    await requireOperator(services, request)
    const [plans, counts] = await Promise.all([listPlans(kysely), countTokensByPlan(kysely, nowOf(services))])
    return {
      plans: plans.map((plan) => ({
        ...plan,
        tokens: counts.get(plan.plan) ?? 0,
        fromSettings: PLANS_FROM_SETTINGS.includes(plan.plan),
      })),
    }
  })

  scope.post('/api/operator/plans', operatorOperations.makePlan, async (request, reply) => {
    checkCsrf(services, request)
    const session = await requireFreshOperator(services, request)
    const made = readBody(newPlanShape, request.body)
    const { plan } = made
    await withOperator(services, session, async (transaction) => {
      if (!(await insertPlan(transaction, made)))
        throw conflict('plan_exists', `There is a plan ${plan}; change that one`)
      await noteChange(request, session, plan, made, transaction)
    })
    return reply.code(201).send(made)
  })

  scope.put<{ Params: { plan: string } }>('/api/operator/plans/:plan', operatorOperations.setPlan, async (request) => {
    checkCsrf(services, request)
    const session = await requireFreshOperator(services, request)
    const { plan } = request.params
    if (!PLAN_NAME.test(plan)) throw invalidField('plan', PLAN_NAME_RULE)
    const limits = readBody(planShape, request.body)
    if (PLANS_FROM_SETTINGS.includes(plan)) throw ofSettings(plan)
    await withOperator(services, session, async (transaction) => {
      await upsertPlan(transaction, plan, limits)
      await noteChange(request, session, plan, limits, transaction)
    })
    return { plan, ...limits }
  })

  scope.delete<{ Params: { plan: string } }>(
    '/api/operator/plans/:plan',
    operatorOperations.deletePlan,
    async (request, reply) => {
      checkCsrf(services, request)
      const session = await requireFreshOperator(services, request)
      const { accountId } = session
      const { network } = request
      const { plan } = request.params
      if (PLANS_FROM_SETTINGS.includes(plan)) throw ofSettings(plan)
      await withOperator(services, session, async (transaction) => {
        if (!(await planNames(transaction)).includes(plan)) throw notFound('Plan')
        if (!(await deletePlan(transaction, plan)))
          throw conflict('plan_in_use', `Tokens have the plan ${plan}, or had it; a plan that was used stays`)
        await audit(services, { accountId, event: 'plan.deleted', network, details: { plan } }, transaction)
      })
      return reply.code(204).send()
    },
  )

  scope.get('/api/operator/tokens', operatorOperations.tokens, async (request) => {
    await requireOperator(services, request)
    const { account } = request.query as Record<string, unknown>
    const found = typeof account === 'string' ? await findAccountByName(kysely, account.trim()) : undefined
    if (!found) throw notFound('Account')
    const [tokens, identities] = await Promise.all([
      listServerTokens(services.database, found.id),
      listIdentities(kysely, found.id),
    ])
    // Any user can take a free name: the operator sees who it is before a token gets another plan.
    return {
      account: { ...found, identities },
      tokens: tokens.map((token) => ({ ...token, lastUsedAt: token.lastUsedAt ?? null })),
    }
  })

  scope.put<{ Params: { id: string } }>(
    '/api/operator/tokens/:id/plan',
    operatorOperations.choosePlan,
    async (request) => {
      checkCsrf(services, request)
      const session = await requireFreshOperator(services, request)
      const { network } = request
      const { plan } = readBody(planChoiceShape, request.body)
      const tokenId = readUuid(request.params.id, 'Token')
      await withOperator(services, session, async (kysely) => {
        const within = { ...services, database: { ...services.database, kysely } }
        const { accountId, name } = await namingTokenFields(
          changePlan(within, tokenId, { plan, assignedBy: session.accountId }),
        )
        // The owner of the token reads this entry; it does not name the operator.
        const details = { tokenId, name, plan, by: 'operator' }
        await audit(services, { accountId, event: 'token.plan-changed', network, details }, kysely)
      })
      return { tokenId, plan }
    },
  )
}

const ofSettings = (plan: string) =>
  conflict('plan_from_settings', `The plan ${plan} comes from the settings (docs/settings.md); make another plan`)

const shown = (plan: string, { perSecond, perDay }: PlanLimits) => ({
  plan,
  perSecond: String(perSecond ?? 'unlimited'),
  perDay: String(perDay ?? 'unlimited'),
})

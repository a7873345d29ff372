import type { FastifyInstance } from 'fastify'
import { invalidField, notFound } from '../api/api-error.ts'
import { readAuditPage } from '../audit/audit-page.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { readBody, readName, readUuid } from '../api/read-body.ts'
import type { Services } from '../services.ts'
import { askedBy } from '../sessions/with-account.ts'
import { type AppFilter, listApps } from '../oauth/app.queries.ts'
import { type AppDecision, appDecisions, decideApp } from '../oauth/apps.ts'
import { appFilterShape } from './app-operations.ts'
import { viewApp } from './app-view.ts'
import { operatorOperations } from './operator-operations.ts'
import { decisionShape } from './request-shapes.ts'
import { requireFreshOperator, requireOperator } from './require-operator.ts'

const filters: readonly string[] = appFilterShape.options

/** `/api/operator/apps…`, `/api/operator/audit`: deciding about apps, and what happened to all accounts. */
export function registerOperator(scope: FastifyInstance, services: Services): void {
  scope.get('/api/operator/apps', operatorOperations.apps, async (request) => {
    await requireOperator(services, request)
    const { status } = request.query as { status?: string }
    if (status !== undefined && !filters.includes(status))
      throw invalidField('status', `must be one of ${filters.join(', ')}`)
    const apps = await listApps(services.database, status === undefined ? {} : { status: status as AppFilter })
    return { apps: apps.map(viewApp) }
  })

  scope.post<{ Params: { id: string; decision: string } }>(
    '/api/operator/apps/:id/:decision',
    operatorOperations.decide,
    async (request) => {
      checkCsrf(services, request)
      const session = await requireFreshOperator(services, request)
      const { decision } = request.params
      if (!appDecisions.includes(decision as AppDecision)) throw notFound('Decision')
      const clientId = readName(request.params.id, 'App')
      const details = readBody(decisionShape, request.body ?? {})
      return viewApp(await decideApp(askedBy(services, request, session), clientId, decision as AppDecision, details))
    },
  )

  scope.get('/api/operator/audit', operatorOperations.audit, async (request) => {
    await requireOperator(services, request)
    const { account, ...page } = request.query as Record<string, unknown>
    return readAuditPage(services, page, typeof account === 'string' ? readUuid(account, 'Account') : undefined)
  })
}

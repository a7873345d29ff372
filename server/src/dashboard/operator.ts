import type { FastifyInstance } from 'fastify'
import { readName } from '../api/read-body.ts'
import { route } from '../api/route.ts'
import { readAuditPage } from './audit-page.ts'
import type { Services } from '../services.ts'
import { listApps } from '../oauth/app.queries.ts'
import { decideApp } from '../oauth/apps.ts'
import { viewApp } from './app-view.ts'
import { operatorOperations } from './operator-operations.ts'

/** `/api/operator/apps…`, `/api/operator/audit`: decisions about apps, and the audit log of all accounts. */
export function registerOperator(scope: FastifyInstance, services: Services): void {
  route(scope, services, operatorOperations.apps, async ({ services, query: status }) => {
    const apps = await listApps(services.database, status === undefined ? {} : { status })
    return { apps: apps.map(viewApp) }
  })

  route(scope, services, operatorOperations.decide, async ({ services, params: { id, decision }, body }) =>
    viewApp(await decideApp(services, readName(id, 'App'), decision, body)),
  )

  route(scope, services, operatorOperations.audit, ({ services, query: { page, accountId } }) =>
    readAuditPage(services, page, accountId),
  )
}

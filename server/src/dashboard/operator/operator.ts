import type { FastifyInstance } from 'fastify'
import { findAccountNames } from '../../accounts/account.queries.ts'
import { acceptInvitation, readInvitation } from '../../accounts/operator-invitations.ts'
import { readName } from '../../api/read-body.ts'
import { route } from '../../api/route.ts'
import { audit } from '../../audit/audit.ts'
import { readAuditPage } from '../audit-page.ts'
import { tooManyRequests } from '../../errors.ts'
import { invitationReadsByNetwork } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import { nowOf, type Services } from '../../services.ts'
import { withSession } from '../../sessions/with-account.ts'
import { listApps } from '../../oauth/app.queries.ts'
import { decideApp } from '../../oauth/apps.ts'
import { viewApp } from '../apps/app-view.ts'
import { namesOfEvents } from './audit-names.ts'
import { operatorDescriptions } from './route-descriptions.ts'

/**
 * `/api/operator/apps…`: decisions about apps. `/api/operator/audit`: the audit log of all accounts.
 * `/api/operator/invitations/…`: checks a one-time link, and makes the account an operator.
 */
export function registerOperator(scope: FastifyInstance, services: Services): void {
  route(scope, services, operatorDescriptions.viewInvitation, async ({ services, network, body: { code } }) => {
    const { exceeded, retryAfter } = await countAttempt(services, invitationReadsByNetwork, network)
    if (exceeded) throw tooManyRequests(retryAfter)
    return { expiresAt: await readInvitation(services.database.kysely, code, nowOf(services)) }
  })

  route(
    scope,
    services,
    operatorDescriptions.acceptInvitation,
    async ({ services, session, network, body: { code } }) => {
      const { accountId } = session
      await withSession(services, session, async (transaction) => {
        await acceptInvitation(transaction, accountId, code, nowOf(services))
        const entry = { accountId, event: 'account.operator-granted', network, details: { by: 'invitation' } } as const
        await audit(services, entry, transaction)
      })
    },
  )

  route(scope, services, operatorDescriptions.apps, async ({ services, query: status }) => {
    const apps = await listApps(services.database, status === undefined ? {} : { status })
    const ids = apps.map(({ ownerAccountId }) => ownerAccountId)
    const usernames = await findAccountNames(services.database.kysely, ids)
    return { apps: apps.map(viewApp), usernames: Object.fromEntries(usernames) }
  })

  route(scope, services, operatorDescriptions.decide, async ({ services, params: { id, decision }, body }) =>
    viewApp(await decideApp(services, readName(id, 'App'), decision, body)),
  )

  route(scope, services, operatorDescriptions.audit, async ({ services, query: { page, accountId } }) => {
    const found = await readAuditPage(services, page, accountId)
    return { ...found, ...(await namesOfEvents(services, found.events)) }
  })
}

import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { audit } from '../../audit/audit.ts'
import { ApiError, notFound, tooManyRequests } from '../../errors.ts'
import { sourceTestsByAccount } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import type { Services } from '../../services.ts'
import { lockAccountAndSession } from '../../sessions/with-account.ts'
import { backgroundRuns } from '../../sync/background-runs.ts'
import { shownSource } from '../../sync/sealed-source.ts'
import { modeOf } from '../../sync/source.ts'
import { findSource, type SourceRow } from '../../sync/sources.queries.ts'
import { sourceDescriptions } from './source-route-descriptions.ts'
import { requireStoredCredentialRight } from '../credentials/credential-rights.ts'

/** `/api/credentials/:id/source/run`: starts a run. `/api/credentials/:id/list`: the state of the list. */
export function registerSourceRuns(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const runs = backgroundRuns(services)
  scope.addHook('onClose', runs.stop)

  route(scope, services, sourceDescriptions.run, async ({ services, accountId, network, params: { id }, body }) => {
    const credential = id.text
    const { confirm } = body
    if (confirm) await requireStoredCredentialRight(kysely, accountId, credential, 'manage')
    const count = await countAttempt(services, sourceTestsByAccount, accountId)
    if (count.exceeded) throw tooManyRequests(count.retryAfter)
    const details = { credential, ...(confirm && { confirmed: 'true' }) }
    await runs.start(credential, {
      confirmed: confirm,
      async before(trx) {
        await lockAccountAndSession(trx, accountId, services.actor)
        await requireStoredCredentialRight(trx, accountId, credential, confirm ? 'manage' : 'edit')
      },
      begin: (trx) => audit(services, { accountId, event: 'sync.started', network, details }, trx),
    })
    return { credentialId: credential }
  })

  route(scope, services, sourceDescriptions.list, async ({ accountId, params: { id } }) => {
    const row = await findSource(kysely, id.text)
    if (!row) throw notFound('Credential')
    return {
      credentialId: id.text,
      syncedAt: syncedAt(row),
      failing: isRun(row) && (row.failures ?? 0) > 0,
      inTeam: await mayView(accountId, id.text),
    }
  })

  async function mayView(accountId: string, credential: string): Promise<boolean> {
    try {
      await requireStoredCredentialRight(kysely, accountId, credential, 'view')
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }
}

const isRun = ({ source }: SourceRow) => source !== null && modeOf(shownSource(source).kind) === 'runs'

/** `last_sync` of a new credential is the time of its creation, so an empty list may not have been imported yet. */
function syncedAt(row: SourceRow): Date | null {
  if (isRun(row)) return row.lastSuccessAt
  return row.itemCount > 0 ? row.lastSync : null
}

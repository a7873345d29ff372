import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { isCredentialId } from '../../resolvers/credential-id.ts'
import type { DB } from '../../database/tables.ts'
import { notFound } from '../../errors.ts'
import { audit } from '../../audit/audit.ts'
import { route } from '../../api/route.ts'
import type { Services } from '../../services.ts'
import { backgroundRuns } from '../../sync/background-runs.ts'
import { shownSource } from '../../sync/sealed-source.ts'
import { modeOf } from '../../sync/source.ts'
import { findSource, listSources, type SourceRow } from '../../sync/sources.queries.ts'
import { operatorDescriptions } from './route-descriptions.ts'

/** `/api/operator/syncs…`: credentials with a source, and starting a run. */
export function registerOperatorSyncs(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const runs = backgroundRuns(services)
  scope.addHook('onClose', runs.stop)

  route(scope, services, operatorDescriptions.syncs, async () => ({ syncs: (await listSources(kysely)).map(view) }))

  // Responds when the run has begun; the list shows its result.
  route(
    scope,
    services,
    operatorDescriptions.runSync,
    async ({ services, accountId, network, params: { id: credentialId }, body: { confirm } }) => {
      const source = isCredentialId(credentialId) ? await findSource(kysely, credentialId) : undefined
      if (!source?.source) throw notFound('Synchronization')
      const details = { credential: credentialId, ...(confirm && { confirmed: 'true' }) }
      const begin = (transaction: Transaction<DB>) =>
        audit(services, { accountId, event: 'sync.started', network, details }, transaction)
      await runs.start(credentialId, { confirmed: confirm, begin })
      return { credentialId }
    },
  )
}

/** Shows only the kind and host of the source; the rest may be secret. */
function view(row: SourceRow) {
  const { kind, host } = shownSource(row.source)
  return {
    credentialId: row.credentialId,
    name: row.name,
    kind,
    host,
    holders: row.itemCount,
    syncStatus: row.syncStatus,
    state: row.state,
    reason: row.reason,
    failures: row.failures ?? 0,
    everySeconds: modeOf(kind) === 'runs' ? row.everySeconds : null,
    mode: modeOf(kind),
    nextRunAt: row.nextRunAt,
    lastRunAt: row.lastRunAt,
    lastSuccessAt: row.lastSuccessAt,
  }
}

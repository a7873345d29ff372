import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { publish } from '../webhooks/outbox.ts'
import { credentialListeners } from './sync-events.queries.ts'

/** Emits the event that the holders were imported, in the transaction that publishes them. */
export async function emitSynced(
  trx: Kysely<DB>,
  credentialId: string,
  { added, removed }: { added: number; removed: number },
  now: Date,
): Promise<void> {
  const listeners = await credentialListeners(trx, credentialId, 'credential.synced')
  const messages = listeners.map(({ endpointId, name, itemCount }) => ({
    endpointId,
    type: 'credential.synced' as const,
    data: { credentialId, name, itemCount, added, removed },
  }))
  await publish(trx, messages, now)
}

/** Emits the event that a run failed or is held, in the transaction that records it. */
export async function emitSyncFailed(
  trx: Kysely<DB>,
  credentialId: string,
  state: 'failed' | 'held',
  reason: string,
  now: Date,
): Promise<void> {
  const listeners = await credentialListeners(trx, credentialId, 'credential.sync_failed')
  const messages = listeners.map(({ endpointId, name, owns }) => ({
    endpointId,
    type: 'credential.sync_failed' as const,
    data: { credentialId, name, state, reason: owns ? reason : null },
  }))
  await publish(trx, messages, now)
}

import type { Transaction } from 'kysely'
import { idOfRequest, requireNoResponse } from '../database/request-context.ts'
import type { DB } from '../database/tables.ts'
import { insertEvent } from './audit.queries.ts'
import { nowOf, type Services } from '../services.ts'

/** All events of the audit log. */
export const SECURITY_EVENTS = [
  'account.created',
  'account.renamed',
  'account.merged',
  'account.merged-away',
  'profile.changed',
  'session.started',
  'session.refused',
  'session.ended',
  'sessions.ended',
  'token.created',
  'token.regenerated',
  'token.revoked',
  'ingest-token.created',
  'ingest-token.regenerated',
  'ingest-token.revoked',
  'identity.linked',
  'identity.unlinked',
  'identity.changed',
  'passkey.removed',
  'account.operator-granted',
  'account.operator-withdrawn',
  'operator.invited',
  'account.suspended',
  'account.resumed',
  'app.applied',
  'app.changed',
  'app.changes-accepted',
  'app.changes-refused',
  'app.approved',
  'app.refused',
  'app.suspended',
  'app.resumed',
  'app.deleted',
  'app.secret-issued',
  'app.secret-deleted',
  'app.secret-guessed',
  'consent.granted',
  'consent.withdrawn',
  'grant.code-replayed',
  'grant.refresh-token-replayed',
  'grant.revoked-by-app',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.secret-rotated',
  'app.users-revoked',
  'token.plan-changed',
  'plan.changed',
  'plan.deleted',
  'sync.started',
  'sync.source-set',
  'sync.source-removed',
  'import.uploaded',
  'import.confirmed',
  'import.cancelled',
  'import.undone',
  'data.imported',
  'data.created',
  'data.changed',
  'data.deleted',
  'points.awarded',
  'points.reversed',
  'snapshot.created',
  'snapshot.deleted',
  'rules.changed',
  'rules.replayed',
  'ban.created',
  'ban.lifted',
  'ban.expired',
  'space.given',
  'team.invited',
  'team.invitation-withdrawn',
  'team.joined',
  'team.role-changed',
  'team.left',
  'space.published',
  'space.unpublished',
  'space.embeds-changed',
  'space.logo-changed',
  'space.logo-removed',
  'starboard.published',
  'starboard.unpublished',
  'person.account-exported',
  'person.account-erased',
  'person.address-exported',
  'person.address-erased',
  'keys.secret-made',
  'keys.signing-key-rotated',
  'keys.resealed',
] as const

export type SecurityEvent = (typeof SECURITY_EVENTS)[number]

/** The account id of events without an account: commands for the installation or for deleted accounts. */
export const INSTALLATION = '00000000-0000-0000-0000-000000000000'

/** The network of events without a client: commands and periodic tasks. */
export const NO_NETWORK = ''

export interface AuditEntry {
  accountId: string
  event: SecurityEvent
  clientId?: string | undefined
  /** The network of the client (`request.network`); `NO_NETWORK` for commands. */
  network: string
  details?: Record<string, string> | undefined
}

/**
 * Writes an event in the transaction of the change. If the transaction will not be committed because its request has
 * already failed, nothing is logged.
 */
export async function audit(
  deps: Pick<Services, 'clock' | 'random' | 'log'>,
  { network, ...entry }: AuditEntry,
  transaction: Transaction<DB>,
): Promise<void> {
  await insertEvent(transaction, { ...entry, address: network, eventId: deps.random.uuid(), at: nowOf(deps) })
  requireNoResponse()
  const { event, accountId, clientId, details = {} } = entry
  const ids = Object.fromEntries(
    LOGGED.flatMap(([name, as]) => (details[name] === undefined ? [] : [[as, details[name]]])),
  )
  const line = { request_id: idOfRequest(), audit: event, account: accountId, client: clientId, ...ids }
  deps.log.info(line, 'security event')
}

/** The details that are logged, with their names in the log. Other details may contain personal data. */
const LOGGED = [
  ['account', 'erased_account'],
  ['tokenId', 'token_id'],
  ['webhook', 'webhook_id'],
  ['credential', 'credential_id'],
  ['space', 'space_id'],
  ['plan', 'plan'],
  ['snapshot', 'snapshot_id'],
  ['ban', 'ban_id'],
  ['import', 'import_id'],
] as const

import type { Kysely } from 'kysely'
import { idOfRequest, refuseWhenAnswered } from '../database/answered.ts'
import type { DB } from '../database/tables.ts'
import { insertEvent } from './audit.queries.ts'
import { nowOf, type SignIn } from './sign-in.ts'

/** What users and operators can read about what happened to an account or an app. */
export type SecurityEvent =
  | 'account.created'
  | 'account.renamed'
  | 'account.merged'
  | 'account.merged-away'
  | 'profile.changed'
  | 'session.started'
  | 'session.refused'
  | 'session.ended'
  | 'sessions.ended'
  | 'token.created'
  | 'token.regenerated'
  | 'token.revoked'
  | 'ingest-token.created'
  | 'ingest-token.regenerated'
  | 'ingest-token.revoked'
  | 'identity.linked'
  | 'identity.unlinked'
  | 'passkey.removed'
  | 'account.operator-granted'
  | 'account.operator-withdrawn'
  | 'app.applied'
  | 'app.changed'
  | 'app.changes-accepted'
  | 'app.changes-refused'
  | 'app.approved'
  | 'app.refused'
  | 'app.suspended'
  | 'app.resumed'
  | 'app.deleted'
  | 'app.secret-issued'
  | 'app.secret-deleted'
  | 'app.secret-guessed'
  | 'consent.granted'
  | 'consent.withdrawn'
  | 'grant.code-replayed'
  | 'grant.refresh-token-replayed'
  | 'grant.revoked-by-app'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.deleted'
  | 'webhook.secret-rotated'
  | 'app.users-revoked'
  | 'token.plan-changed'
  | 'plan.changed'
  | 'plan.deleted'
  | 'sync.started'
  | 'data.imported'
  | 'space.given'
  | 'person.account-erased'
  | 'person.address-erased'
  | 'keys.secret-made'
  | 'keys.signing-key-rotated'
  | 'keys.resealed'

/** In place of an account, where an operator's command did something to the installation, or to an account that is gone. */
export const INSTALLATION = '00000000-0000-0000-0000-000000000000'

export interface AuditEntry {
  accountId: string
  event: SecurityEvent
  clientId?: string | undefined
  /** The network address of who did it; empty for commands and clocks. */
  address?: string | undefined
  details?: Record<string, string> | undefined
}

/**
 * Writes one event, in the transaction of what it tells about when there is one. One that will not be committed, as its
 * request was answered meanwhile, is not logged either.
 */
export async function audit(
  deps: Pick<SignIn, 'database' | 'clock' | 'random' | 'log'>,
  entry: AuditEntry,
  kysely: Kysely<DB> = deps.database.kysely,
) {
  await insertEvent(kysely, { ...entry, eventId: deps.random.uuid(), at: nowOf(deps) })
  if (kysely.isTransaction) refuseWhenAnswered()
  const { event, accountId, clientId, details = {} } = entry
  const ids = Object.fromEntries(
    LOGGED.flatMap(([name, as]) => (details[name] === undefined ? [] : [[as, details[name]]])),
  )
  const line = { request_id: idOfRequest(), audit: event, account: accountId, client: clientId, ...ids }
  deps.log.info(line, 'security event')
}

/** Of the details those that are ids, and how they are called in the log: the others may say who somebody is. */
const LOGGED = [
  ['account', 'erased_account'],
  ['tokenId', 'token_id'],
  ['webhook', 'webhook_id'],
  ['credential', 'credential_id'],
  ['space', 'space_id'],
  ['plan', 'plan'],
] as const

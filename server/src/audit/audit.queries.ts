import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface StoredEvent {
  accountId: string
  event: string
  eventId: string
  at: Date
  clientId?: string | undefined
  address?: string | undefined
  details?: Record<string, string> | undefined
}

export async function insertEvent(kysely: Kysely<DB>, event: StoredEvent): Promise<void> {
  await kysely
    .insertInto('security_events')
    .values({
      account_id: event.accountId,
      happened_at: event.at,
      event_id: event.eventId,
      event: event.event,
      client_id: event.clientId ?? null,
      address: event.address ?? '',
      details: JSON.stringify(event.details ?? {}),
    })
    .execute()
}

/** The position before a page: a time, or an event of that time. */
export interface EventPosition {
  at: Date
  eventId?: string
}

/** Events before a position, newest first: of one account and accounts merged into it, or of all accounts. */
export async function listEvents(
  kysely: Kysely<DB>,
  filter: {
    accountId?: string | undefined
    event?: string | undefined
    clientId?: string | undefined
    before?: EventPosition | undefined
    first: number
  },
): Promise<StoredEvent[]> {
  let query = kysely.selectFrom('security_events').selectAll()
  if (filter.accountId !== undefined)
    query = query.where('account_id', 'in', await withMerged(kysely, filter.accountId))
  if (filter.event !== undefined) query = query.where('event', '=', filter.event)
  if (filter.clientId !== undefined) query = query.where('client_id', '=', filter.clientId)
  if (filter.before !== undefined) {
    const { at, eventId } = filter.before
    query =
      eventId === undefined
        ? query.where('happened_at', '<', at)
        : query.where((eb) => eb(eb.refTuple('happened_at', 'event_id'), '<', eb.tuple(at, eventId)))
  }
  const rows = await query.orderBy('happened_at', 'desc').orderBy('event_id', 'desc').limit(filter.first).execute()
  return rows.map((row) => ({
    accountId: row.account_id,
    event: row.event,
    eventId: row.event_id,
    at: row.happened_at,
    clientId: row.client_id ?? undefined,
    address: row.address,
    details: row.details as Record<string, string>,
  }))
}

/**
 * Whether the account, or one merged into it, started a session from this network: after a time, or within the
 * retention of the log.
 */
export async function hasSessionStarted(
  kysely: Kysely<DB>,
  accountId: string,
  network: string,
  after: Date | undefined,
): Promise<boolean> {
  let query = kysely
    .selectFrom('security_events')
    .select('event_id')
    .where('account_id', 'in', await withMerged(kysely, accountId))
    .where('event', '=', 'session.started')
    .where('address', '=', network)
  if (after !== undefined) query = query.where('happened_at', '>', after)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** The time of the last sign-out everywhere of the account, or of one merged into it, within the retention of the log. */
export async function whenSessionsEnded(kysely: Kysely<DB>, accountId: string): Promise<Date | undefined> {
  const row = await kysely
    .selectFrom('security_events')
    .select('happened_at')
    .where('account_id', 'in', await withMerged(kysely, accountId))
    .where('event', '=', 'sessions.ended')
    .orderBy('happened_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.happened_at
}

async function withMerged(kysely: Kysely<DB>, accountId: string): Promise<string[]> {
  const merged = await kysely
    .selectFrom('merged_accounts')
    .select('account_id')
    .where('into_account_id', '=', accountId)
    .execute()
  return [accountId, ...merged.map((row) => row.account_id)]
}

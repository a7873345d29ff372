import { invalidField } from '../errors.ts'
import { type EventPosition, listEvents, type StoredEvent } from '../audit/audit.queries.ts'
import type { Services } from '../services.ts'
import { fault, wrongFormat } from '../texts/faults.ts'

export const MAX_EVENTS = 100

export interface AuditPage {
  events: StoredEvent[]
  /** The `before` of the next page; null on the last page. */
  next: string | null
}

/** The page to read: the number of events, and filters. */
export interface AuditQuery {
  first: number
  before: EventPosition | undefined
  event: string | undefined
  clientId: string | undefined
}

/** @throws ApiError that names the parameter */
export function readAuditQuery(query: Record<string, unknown>): AuditQuery {
  const { first = String(MAX_EVENTS), before, event, app } = query
  if (typeof first !== 'string' || !/^\d{1,3}$/.test(first) || Number(first) < 1 || Number(first) > MAX_EVENTS)
    throw invalidField('first', `must be 1 to ${MAX_EVENTS}`, fault('out_of_range', { min: 1, max: MAX_EVENTS }))
  if (event !== undefined && (typeof event !== 'string' || !/^[a-z.-]{1,60}$/.test(event)))
    throw invalidField('event', 'must be the name of an event such as app.approved', wrongFormat('pattern'))
  if (app !== undefined && (typeof app !== 'string' || !/^[A-Za-z0-9_-]{1,100}$/.test(app)))
    throw invalidField('app', 'must be the client ID of an app', wrongFormat('pattern'))
  return {
    first: Number(first),
    before: before === undefined ? undefined : readPosition(before),
    event,
    clientId: app,
  }
}

/** A page of the audit log, newest first: of one account, or of all. */
export async function readAuditPage(
  { database }: Pick<Services, 'database'>,
  { first, ...filter }: AuditQuery,
  accountId?: string,
): Promise<AuditPage> {
  const found = await listEvents(database.kysely, { ...filter, accountId, first: first + 1 })
  const events = found.slice(0, first)
  const last = events.at(-1)
  return { events, next: found.length > first && last ? `${last.at.toISOString()}_${last.eventId}` : null }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function readPosition(text: unknown): EventPosition {
  const [time = '', eventId, ...more] = String(text).split('_')
  const at = new Date(time)
  const timely = !Number.isNaN(at.getTime()) && at.getUTCFullYear() <= 9999 && at.getUTCFullYear() >= 1
  if (!timely || more.length > 0 || (eventId !== undefined && !uuid.test(eventId)))
    throw invalidField(
      'before',
      'must be a time such as 2026-11-21T12:00:00Z, or `next` of the previous page',
      wrongFormat('time'),
    )
  return { at, ...(eventId !== undefined && { eventId }) }
}

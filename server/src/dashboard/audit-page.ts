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

/** A page of the audit log, newest first: of one account, or of all. @throws ApiError that names the parameter */
export async function readAuditPage(
  { database }: Pick<Services, 'database'>,
  query: unknown,
  accountId?: string,
): Promise<AuditPage> {
  const { first = String(MAX_EVENTS), before, event, app } = query as Record<string, unknown>
  if (typeof first !== 'string' || !/^\d{1,3}$/.test(first) || Number(first) < 1 || Number(first) > MAX_EVENTS)
    throw invalidField('first', `must be 1 to ${MAX_EVENTS}`, fault('out_of_range', { min: 1, max: MAX_EVENTS }))
  if (event !== undefined && (typeof event !== 'string' || !/^[a-z.-]{1,60}$/.test(event)))
    throw invalidField('event', 'must be the name of an event such as app.approved', wrongFormat('pattern'))
  const most = Number(first)
  if (app !== undefined && (typeof app !== 'string' || !/^[A-Za-z0-9_-]{1,100}$/.test(app)))
    throw invalidField('app', 'must be the client ID of an app', wrongFormat('pattern'))
  const place = before === undefined ? undefined : readPosition(before)
  const found = await listEvents(database.kysely, { accountId, event, clientId: app, before: place, first: most + 1 })
  const events = found.slice(0, most)
  const last = events.at(-1)
  return { events, next: found.length > most && last ? `${last.at.toISOString()}_${last.eventId}` : null }
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

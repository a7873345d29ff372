import { readAudit, type SecurityEvent } from './account.ts'
import { send } from './call.ts'

/** All data of the signed-in account. The paths also work in scripts. */
const PARTS = [
  '/api/session',
  '/api/profile',
  '/api/identities',
  '/api/authorized-apps',
  '/api/sessions',
  '/api/tokens',
  '/api/usage?days=90',
  '/api/apps',
  '/api/webhooks',
  '/api/ingest-tokens',
] as const

const MAX_EVENTS_PER_PAGE = 100

/**
 * All data of an account as one object, by path. @throws ApiFailure if a part cannot be read, so an export is always
 * complete
 */
export async function exportAccount(): Promise<Record<string, unknown>> {
  const parts = await Promise.all(PARTS.map(async (path) => [path, await send('GET', path)] as const))
  return { exportedAt: new Date().toISOString(), ...Object.fromEntries(parts), '/api/audit': await allEvents() }
}

async function allEvents(): Promise<SecurityEvent[]> {
  const events: SecurityEvent[] = []
  let before: string | null = null
  do {
    const page = await readAudit(MAX_EVENTS_PER_PAGE, before)
    events.push(...page.events)
    before = page.next
  } while (before !== null)
  return events
}

import { DAY, SECOND } from '../clock.ts'
import type { Dependencies } from '../dependencies.ts'
import { CODE_MEMORY, SESSION_IDLE_LIFETIME } from '../lifetimes.ts'
import { later, nowOf } from './sign-in.ts'
import { deleteEnded } from './sweep.queries.ts'

/** Deletes ended challenges, requests, codes, sessions, tokens and attempt counts. Safe to run at any time, by several instances. */
export async function sweepSignIn(dependencies: Pick<Dependencies, 'database' | 'clock'>): Promise<void> {
  const now = nowOf(dependencies)
  await deleteEnded(dependencies.database.kysely, {
    now,
    codesBefore: later(now, -CODE_MEMORY),
    idleSessionsBefore: later(now, -SESSION_IDLE_LIFETIME),
    revokedGrantsBefore: later(now, -DAY),
    attemptsBefore: Math.floor((now.getTime() - 2 * DAY) / SECOND),
  })
}

import type { Kysely } from 'kysely'
import { DAY, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { CODE_MEMORY, SESSION_IDLE_LIFETIME, SIGNING_KEY_OVERLAP } from '../lifetimes.ts'
import { deleteEnded } from './sign-in-sweep.queries.ts'

const ATTEMPTS_MEMORY = 2 * DAY

/**
 * Deletes ended challenges, authorization requests, codes, sessions, tokens, grants, signing keys and attempt counts.
 * Safe to run at any time, by several instances. @returns how many rows were deleted
 */
export async function sweepSignIn(kysely: Kysely<DB>, now: number): Promise<number> {
  return deleteEnded(kysely, {
    now: new Date(now),
    codesBefore: new Date(now - CODE_MEMORY),
    idleSessionsBefore: new Date(now - SESSION_IDLE_LIFETIME),
    revokedGrantsBefore: new Date(now - DAY),
    signingKeysFollowedBefore: new Date(now - SIGNING_KEY_OVERLAP),
    attemptsBefore: Math.floor((now - ATTEMPTS_MEMORY) / SECOND),
  })
}

import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface SweepTimes {
  now: Date
  codesBefore: Date
  idleSessionsBefore: Date
  revokedGrantsBefore: Date
  /** Seconds since 1970. */
  attemptsBefore: number
}

/** Deletes what has ended and cannot be asked for any more. */
export async function deleteEnded(kysely: Kysely<DB>, times: SweepTimes): Promise<void> {
  const { now } = times
  await kysely.deleteFrom('challenges').where('expires_at', '<', now).execute()
  await kysely.deleteFrom('authorizations').where('expires_at', '<', now).execute()
  await kysely.deleteFrom('authorization_codes').where('expires_at', '<', times.codesBefore).execute()
  await kysely.deleteFrom('app_secrets').where('expires_at', '<', now).execute()
  await kysely
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('expires_at', '<', now), eb('last_seen_at', '<', times.idleSessionsBefore)]))
    .execute()
  await kysely.deleteFrom('access_tokens').where('expires_at', '<', now).execute()
  await kysely.deleteFrom('refresh_tokens').where('expires_at', '<', now).execute()
  await kysely.deleteFrom('grants').where('revoked_at', '<', times.revokedGrantsBefore).execute()
  await kysely.deleteFrom('attempt_windows').where('window_start', '<', times.attemptsBefore).execute()
}

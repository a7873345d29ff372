import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

/**
 * What the user wants with the proof. `sign-in`: a session. `link`: to add the proven identity to the signed-in account.
 * `merge`: to merge the account of the proven identity into the signed-in account; the user confirms this afterwards.
 */
export const purposes = ['sign-in', 'link', 'merge'] as const
export type Purpose = (typeof purposes)[number]

export interface StoredChallenge {
  challengeId: string
  browserHash: Buffer
  /** The session that requested the challenge; null for `sign-in`. */
  sessionHash: Buffer | null
  /** The account of this session; null for `sign-in`. */
  accountId: string | null
  kind: string
  purpose: Purpose
  /** The data that the identity kind needs to verify the proof. */
  kindData: unknown
  expiresAt: Date
}

export async function insertChallenge(kysely: Kysely<DB>, challenge: StoredChallenge): Promise<void> {
  await kysely
    .insertInto('challenges')
    .values({
      challenge_id: challenge.challengeId,
      browser_hash: challenge.browserHash,
      session_hash: challenge.sessionHash,
      account_id: challenge.accountId,
      kind: challenge.kind,
      purpose: challenge.purpose,
      stored: JSON.stringify(challenge.kindData),
      expires_at: challenge.expiresAt,
    })
    .execute()
}

/** Deletes and returns an unexpired challenge of this browser. Only one of several parallel requests gets it. */
export async function takeChallenge(
  kysely: Kysely<DB>,
  challengeId: string,
  browserHash: Buffer,
  now: Date,
): Promise<StoredChallenge | undefined> {
  const row = await kysely
    .deleteFrom('challenges')
    .where('challenge_id', '=', challengeId)
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
  return (
    row && {
      challengeId: row.challenge_id,
      browserHash: row.browser_hash,
      sessionHash: row.session_hash,
      accountId: row.account_id,
      kind: row.kind,
      purpose: row.purpose as Purpose,
      kindData: row.stored,
      expiresAt: row.expires_at,
    }
  )
}

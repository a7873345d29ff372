import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

/** For `merge`, a signed-in user proves an identity of the account that will be merged into the current account. */
export const purposes = ['sign-in', 'link', 'merge'] as const
export type Purpose = (typeof purposes)[number]

export interface StoredChallenge {
  challengeId: string
  browserHash: Buffer
  /** For `link` and `merge`: the session and account that requested the challenge. */
  sessionHash: Buffer | null
  accountId: string | null
  kind: string
  purpose: Purpose
  stored: unknown
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
      stored: JSON.stringify(challenge.stored),
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
      stored: row.stored,
      expiresAt: row.expires_at,
    }
  )
}

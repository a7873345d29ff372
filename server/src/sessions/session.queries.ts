import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/connection.ts'
import { statement } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { ENDED, type EndedSession, noteEndedSessions } from '../accounts/ended-sessions.queries.ts'

export interface SessionRecord {
  sessionHash: Buffer
  sessionId: string
  accountId: string
  username: string
  authenticatedAt: Date
  lastSeenAt: Date
}

interface SessionRow {
  session_hash: Buffer
  session_id: string
  account_id: string
  authenticated_at: Date
  last_seen_at: Date
}

const liveSession = statement<SessionRow>(
  'identity.session',
  `SELECT session_hash, session_id, account_id, authenticated_at, last_seen_at
   FROM sessions WHERE session_hash = $1 AND expires_at > $2 AND last_seen_at > $3`,
)

// A separate statement, because sessions are distributed by hash and accounts by id.
const accountName = statement<{ name: string }>(
  'identity.account-name',
  'SELECT name FROM accounts WHERE account_id = $1',
)

/** Returns the session unless it has expired or been idle since before `idleSince`. */
export async function findSession(
  database: Database,
  sessionHash: Buffer,
  now: Date,
  idleSince: Date,
): Promise<SessionRecord | undefined> {
  const [row] = await database.read(liveSession, [sessionHash, now, idleSince])
  if (!row) return undefined
  const [account] = await database.read(accountName, [row.account_id])
  return (
    account && {
      sessionHash: row.session_hash,
      sessionId: row.session_id,
      accountId: row.account_id,
      username: account.name,
      authenticatedAt: row.authenticated_at,
      lastSeenAt: row.last_seen_at,
    }
  )
}

export interface NewSession {
  sessionHash: Buffer
  sessionId: string
  accountId: string
  now: Date
  expiresAt: Date
  userAgent: string
  address: string
}

/**
 * Starts a session and ends others, possibly of other accounts. If the account signs in again in the browser of its session
 * `replaced`, the new one keeps the id of that one, and its apps stay signed in.
 */
export async function replaceSessions(
  transaction: Transaction<DB>,
  session: NewSession,
  replaced: Buffer,
  beyond: readonly Buffer[],
): Promise<void> {
  let { sessionId } = session
  const ended: EndedSession[] = []
  // In a fixed order, to avoid deadlocks between browsers; one after the other, because they may be on several nodes.
  for (const hash of [replaced, ...beyond].toSorted((one, other) => one.compare(other))) {
    const old = await transaction
      .deleteFrom('sessions')
      .where('session_hash', '=', hash)
      .returning(ENDED)
      .executeTakeFirst()
    if (old?.accountId === session.accountId && hash === replaced) ({ sessionId } = old)
    else if (old) ended.push(old)
  }
  await noteEndedSessions(transaction, ended)
  await transaction
    .insertInto('sessions')
    .values({
      session_hash: session.sessionHash,
      session_id: sessionId,
      account_id: session.accountId,
      authenticated_at: session.now,
      last_seen_at: session.now,
      expires_at: session.expiresAt,
      user_agent: session.userAgent,
      address: session.address,
    })
    .execute()
}

/** Whether a session is live; if so, it cannot end before the transaction does. */
export async function holdSession(
  transaction: Transaction<DB>,
  { sessionHash, accountId }: Pick<SessionRecord, 'sessionHash' | 'accountId'>,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('sessions')
    .select('session_id')
    .where('session_hash', '=', sessionHash)
    .where('account_id', '=', accountId)
    .forKeyShare() // Blocks its deletion, but not updates of its last use.
    .executeTakeFirst()
  return row !== undefined
}

/** The least recently used sessions of an account beyond `limit`, not counting one. */
export async function sessionsBeyond(
  transaction: Transaction<DB>,
  accountId: string,
  limit: number,
  uncounted: Buffer,
): Promise<Buffer[]> {
  const rows = await transaction
    .selectFrom('sessions')
    .select('session_hash')
    .where('account_id', '=', accountId)
    .where('session_hash', '!=', uncounted)
    .orderBy('last_seen_at', 'desc')
    .orderBy('session_hash')
    .offset(limit)
    .execute()
  return rows.map((row) => row.session_hash)
}

export async function touchSession(kysely: Kysely<DB>, sessionHash: Buffer, now: Date): Promise<void> {
  await kysely.updateTable('sessions').set({ last_seen_at: now }).where('session_hash', '=', sessionHash).execute()
}

/** @returns whether the session existed */
export async function deleteSession(transaction: Transaction<DB>, sessionHash: Buffer): Promise<boolean> {
  const ended = await transaction
    .deleteFrom('sessions')
    .where('session_hash', '=', sessionHash)
    .returning(ENDED)
    .execute()
  await noteEndedSessions(transaction, ended)
  return ended.length === 1
}

export interface ListedSession {
  sessionId: string
  authenticatedAt: Date
  lastSeenAt: Date
  userAgent: string
  address: string
}

/** Live sessions, most recently used first. */
export async function listSessions(
  kysely: Kysely<DB>,
  accountId: string,
  { now, idleSince, limit }: { now: Date; idleSince: Date; limit: number },
): Promise<ListedSession[]> {
  const rows = await kysely
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', idleSince)
    .orderBy('last_seen_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    sessionId: row.session_id,
    authenticatedAt: row.authenticated_at,
    lastSeenAt: row.last_seen_at,
    userAgent: row.user_agent,
    address: row.address,
  }))
}

/** Ends one session of the account, or all. Returns the number of ended sessions. */
export async function deleteSessions(
  transaction: Transaction<DB>,
  accountId: string,
  sessionId?: string,
): Promise<number> {
  let deletion = transaction.deleteFrom('sessions').where('account_id', '=', accountId)
  if (sessionId !== undefined) deletion = deletion.where('session_id', '=', sessionId)
  const ended = await deletion.returning(ENDED).execute()
  await noteEndedSessions(transaction, ended)
  return ended.length
}

export async function deleteOtherSessions(
  transaction: Transaction<DB>,
  accountId: string,
  sessionHash: Buffer,
): Promise<void> {
  const ended = await transaction
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('session_hash', '!=', sessionHash)
    .returning(ENDED)
    .execute()
  await noteEndedSessions(transaction, ended)
}

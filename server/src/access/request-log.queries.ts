import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import type { DB } from '../database/tables.ts'

/** One request with a token. It has no variables, no text of the document and no address of the client. */
export interface LoggedRequest {
  tokenId: string
  /** The end of the request, in milliseconds since 1970. */
  at: number
  requestId: string
  /** The fields that the document reads, as in the usage figures. */
  operation: string
  status: number
  milliseconds: number
  /** The code of the first error; null without an error. */
  code: string | null
}

export async function addRequests(pool: Pool, requests: readonly LoggedRequest[]): Promise<void> {
  const column = <Key extends keyof LoggedRequest>(key: Key) => requests.map((request) => request[key])
  await pool.query(
    `INSERT INTO token_requests (token_id, at, request_id, operation, status, milliseconds, code)
     SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::smallint[], $6::float8[], $7::text[])
     ON CONFLICT DO NOTHING`,
    [
      column('tokenId'),
      requests.map(({ at }) => new Date(at)),
      column('requestId'),
      column('operation'),
      column('status'),
      column('milliseconds'),
      column('code'),
    ],
  )
}

/** Deletes all but the last requests of the tokens. */
export async function trimRequests(pool: Pool, tokenIds: readonly string[], kept: number): Promise<void> {
  await pool.query(
    `DELETE FROM token_requests t USING unnest($1::uuid[]) AS busy (token_id)
     WHERE t.token_id = busy.token_id AND t.at < (
       SELECT at FROM token_requests WHERE token_id = busy.token_id ORDER BY at DESC OFFSET $2 - 1 LIMIT 1)`,
    [tokenIds, kept],
  )
}

/** The last requests of a token, the newest first. */
export async function lastRequests(
  db: Kysely<DB>,
  tokenId: string,
  limit: number,
): Promise<(Omit<LoggedRequest, 'tokenId' | 'at'> & { at: Date })[]> {
  return db
    .selectFrom('token_requests')
    .select(['at', 'request_id as requestId', 'operation', 'status', 'milliseconds', 'code'])
    .where('token_id', '=', tokenId)
    .orderBy('at', 'desc')
    .orderBy('request_id', 'desc')
    .limit(limit)
    .execute()
}

import type { Pool } from 'pg'
import { type Reader, statement } from '@questboard/pg-read-pipeline'

const byHash = statement<{ document: string }>(
  'persisted-document.by-hash',
  'SELECT document FROM persisted_documents WHERE token_id = $1::uuid AND hash = $2::bytea',
)

export async function findDocument(reader: Reader, tokenId: string, hash: Buffer): Promise<string | undefined> {
  const [row] = await reader.read(byHash, [tokenId, hash])
  return row?.document
}

export interface DocumentLimits {
  /** The number of documents of a token, and of new ones in a minute. */
  max: number
  maxNew: number
}

/** Records the use of a document, or stores it. If the token has too many documents, deletes those unused for longest. */
export async function keepDocument(
  pool: Pool,
  { tokenId, hash, document, now }: { tokenId: string; hash: Buffer; document: string; now: Date },
  { max, maxNew }: DocumentLimits,
): Promise<'noted' | 'stored' | 'refused'> {
  const noteUse = async () => {
    const { rowCount } = await pool.query(
      'UPDATE persisted_documents SET used_at = $3 WHERE token_id = $1::uuid AND hash = $2::bytea',
      [tokenId, hash, now],
    )
    return rowCount !== 0
  }
  if (await noteUse()) return 'noted'
  const stored = await pool.query(
    `INSERT INTO persisted_documents (token_id, hash, document, stored_at, used_at)
     SELECT $1::uuid, $2::bytea, $3::text, $4::timestamptz, $4::timestamptz
     WHERE (SELECT count(*) FROM persisted_documents
            WHERE token_id = $1::uuid AND stored_at > $4::timestamptz - interval '1 minute') < $5::int
     ON CONFLICT (token_id, hash) DO NOTHING`,
    [tokenId, hash, document, now, maxNew],
  )
  // Another process may have stored it first.
  if (stored.rowCount === 0) return (await noteUse()) ? 'noted' : 'refused'
  await pool.query(
    `DELETE FROM persisted_documents WHERE token_id = $1::uuid AND hash IN (
       SELECT hash FROM persisted_documents WHERE token_id = $1::uuid ORDER BY used_at DESC, hash OFFSET $2::int)`,
    [tokenId, max],
  )
  return 'stored'
}

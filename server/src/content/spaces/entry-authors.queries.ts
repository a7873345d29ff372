import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../../database/tables.ts'

interface Token {
  name: string
  accountId: string
}

/** Ingest tokens, also revoked ones. */
export async function findTokens(kysely: Kysely<DB>, ids: readonly string[]): Promise<Map<string, Token>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Token & { id: string }>`
    SELECT token_id AS id, name, account_id AS "accountId"
    FROM ingest_tokens WHERE token_id = ANY(${textArray(ids)}::uuid[])`.execute(kysely)
  return new Map(rows.map(({ id, ...token }) => [id, token]))
}

interface ImportFile {
  fileName: string
  /** The account that confirmed the import. */
  accountId: string
}

export async function findImportFiles(kysely: Kysely<DB>, ids: readonly string[]): Promise<Map<string, ImportFile>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<ImportFile & { id: string }>`
    SELECT import_id AS id, file_name AS "fileName", coalesce(applied_by, account_id) AS "accountId"
    FROM imports WHERE import_id = ANY(${textArray(ids)}::uuid[])`.execute(kysely)
  return new Map(rows.map(({ id, ...file }) => [id, file]))
}

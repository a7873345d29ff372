import type { Kysely } from 'kysely'
import { findAccountNames } from '../accounts/account.queries.ts'
import type { DB } from '../database/tables.ts'
import { findVersions } from './rule-sets.queries.ts'

const PAGE = 50

/** The versions of the rules of a space, newest first, with their authors. */
export async function listVersions(kysely: Kysely<DB>, spaceId: number, before: number | undefined) {
  const found = await findVersions(kysely, spaceId, { before, limit: PAGE + 1 })
  const versions = found.slice(0, PAGE)
  const names = await findAccountNames(
    kysely,
    versions.flatMap(({ createdBy }) => createdBy ?? []),
  )
  return {
    versions: versions.map(({ createdBy, ...version }) => ({
      ...version,
      createdBy: createdBy === null ? null : { id: createdBy, username: names.get(createdBy) ?? null },
    })),
    next: found.length > PAGE ? (versions.at(-1)?.version ?? null) : null,
  }
}

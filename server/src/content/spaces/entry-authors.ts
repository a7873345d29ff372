import type { Kysely } from 'kysely'
import { findAccountNames } from '../../accounts/account.queries.ts'
import { questOfAward } from '../../ranking/quest-award-keys.ts'
import type { DB } from '../../database/tables.ts'
import type { EntryAuthor, EntryRow } from '../../ledger/entry.ts'
import { findImportFiles, findTokenNames } from './entry-authors.queries.ts'

/** Finds the names of the accounts, tokens, imports and quests that made entries. */
export async function findAuthors(
  kysely: Kysely<DB>,
  entries: readonly EntryRow[],
): Promise<(entry: EntryRow) => EntryAuthor | null> {
  const ids = [
    ...new Set(entries.flatMap(({ source, actor }) => (actor === null || source === 'quest' ? [] : [actor]))),
  ]
  const [tokens, files] = await Promise.all([findTokenNames(kysely, ids), findImportFiles(kysely, ids)])
  const accounts = await findAccountNames(kysely, [...ids, ...[...files.values()].map(({ accountId }) => accountId)])
  return ({ source, actor, key, reason }) => {
    const quest = source === 'quest' && key !== null ? questOfAward(key) : undefined
    if (quest !== undefined) return { kind: 'quest', id: quest, name: reason, by: null }
    if (actor === null) return null
    const file = files.get(actor)
    if (file) return { kind: 'import', id: actor, name: file.fileName, by: accounts.get(file.accountId) ?? null }
    const [account, token] = [accounts.get(actor), tokens.get(actor)]
    const kind = account !== undefined ? 'account' : token !== undefined ? 'token' : 'unknown'
    return { kind, id: actor, name: account ?? token ?? null, by: null }
  }
}

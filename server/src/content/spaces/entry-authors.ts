import type { Kysely } from 'kysely'
import { findAccountNames } from '../../accounts/account.queries.ts'
import { questOfAward } from '../../ranking/quest-award-keys.ts'
import type { DB } from '../../database/tables.ts'
import type { EntryAuthor, EntryRow } from '../../ledger/entry.ts'
import { findImportFiles, findTokens } from './entry-authors.queries.ts'

/**
 * Finds the accounts, tokens, imports and quests that made entries. An account chooses the names of its files and tokens
 * for itself, so only the account and operators get them.
 */
export async function findAuthors(
  kysely: Kysely<DB>,
  entries: readonly EntryRow[],
  reader: { accountId: string; operator: boolean },
): Promise<(entry: EntryRow) => EntryAuthor | null> {
  const ids = [
    ...new Set(entries.flatMap(({ source, actor }) => (actor === null || source === 'quest' ? [] : [actor]))),
  ]
  const [tokens, files] = await Promise.all([findTokens(kysely, ids), findImportFiles(kysely, ids)])
  const accounts = await findAccountNames(kysely, [...ids, ...[...files.values()].map(({ accountId }) => accountId)])
  const mayRead = (accountId: string | null) => reader.operator || accountId === reader.accountId
  return ({ source, actor, key, reason }) => {
    const quest = source === 'quest' && key !== null ? questOfAward(key) : undefined
    if (quest !== undefined) return { kind: 'quest', id: quest, name: reason, by: null }
    if (actor === null) return null
    const file = files.get(actor)
    if (file) {
      const shown = mayRead(file.accountId)
      const by = accounts.get(file.accountId) ?? null
      return { kind: 'import', id: actor, name: shown ? file.fileName : null, by: shown ? by : null }
    }
    const account = accounts.get(actor)
    if (account !== undefined) return { kind: 'account', id: actor, name: account, by: null }
    const token = tokens.get(actor)
    if (!token) return { kind: 'unknown', id: actor, name: null, by: null }
    return { kind: 'token', id: actor, name: mayRead(token.accountId) ? token.name : null, by: null }
  }
}

import { withinLength } from '../characters.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { Random } from '../random.ts'
import { accountExists, findOrCreateAccount } from './server-tokens.queries.ts'
import { TokenInputError } from './server-tokens.ts'

/**
 * The account that a command names by its id or by its name; a name that nobody has makes an account.
 * @throws TokenInputError for an id that no account has
 */
export async function namedAccount(
  { database, clock, random }: { database: Pick<Database, 'kysely'>; clock: Clock; random: Random },
  account: string,
): Promise<string> {
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(account)) {
    if (await accountExists(database.kysely, account)) return account.toLowerCase()
    throw new TokenInputError(
      'account',
      `There is no account with the id "${account}". \`questboard account list\` shows them.`,
    )
  }
  const name = account.trim()
  if (name === '' || !withinLength(name, 200))
    throw new TokenInputError('account', 'An account is named by its id, or by a name of 1 to 200 characters.')
  return findOrCreateAccount(database.kysely, {
    accountId: random.uuid(),
    name,
    createdAt: new Date(clock.now()),
  })
}

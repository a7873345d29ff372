import { withinLength } from '../text/characters.ts'
import { findAccountByName } from '../accounts/account.queries.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { Random } from '../random.ts'
import { findPersonalAccount, type PersonalAccount } from './named-account.queries.ts'
import { accountExists, findOrCreateAccount } from '../access/server-tokens.queries.ts'
import { TokenInputError } from '../access/server-tokens.ts'

/** The help text of `--account`. */
export const ACCOUNT_OPTION =
  'the owner: the id or name of an account. A new name creates an account. If the account has a sign-in method, use its id, because its name is refused'

/** How commands name an existing account. */
export const EXISTING_ACCOUNT = 'the id of an account, or its name if no user can sign in to it'

export const isId = (text: string): boolean => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)

const unknownAccount = (account: string) =>
  new TokenInputError(
    'account',
    `No account has the ${isId(account) ? 'id' : 'name'} "${account}". \`questboard account list\` lists the accounts.`,
  )

/**
 * Finds an account by id, or an account without sign-in methods by name. Names of accounts with sign-in methods are
 * refused, because any user can take any free name.
 * @throws TokenInputError for an unknown account, and for the name of an account that a user can sign in to
 */
export async function existingAccount(
  { kysely }: Pick<Database, 'kysely'>,
  account: string,
): Promise<{ id: string; username: string }> {
  const found = await findAccountByName(kysely, account.trim())
  if (!found) throw unknownAccount(account.trim())
  const personal = isId(account.trim()) ? undefined : await findPersonalAccount(kysely, found.id)
  if (personal) throw new TokenInputError('account', needsConfirmation(personal))
  return found
}

/**
 * The same, but creates an account if none has the name.
 * @throws TokenInputError for an unknown id, and for the name of an account that a user can sign in to
 */
export async function namedAccount(
  { database, clock, random }: { database: Pick<Database, 'kysely'>; clock: Clock; random: Random },
  account: string,
): Promise<string> {
  const name = account.trim()
  if (isId(name)) {
    if (await accountExists(database.kysely, name)) return name.toLowerCase()
    throw unknownAccount(name)
  }
  if (name === '' || !withinLength(name, 200))
    throw new TokenInputError('account', 'Specify an account by its id, or by a name of 1 to 200 characters.')
  const accountId = await findOrCreateAccount(database.kysely, {
    accountId: random.uuid(),
    name,
    createdAt: new Date(clock.now()),
  })
  const personal = await findPersonalAccount(database.kysely, accountId)
  if (personal) throw new TokenInputError('account', needsConfirmation(personal))
  return accountId
}

function needsConfirmation({ accountId, name, createdAt, identities, passkeys }: PersonalAccount): string {
  const methods = [
    ...identities.map(({ kind, subject, username }) => `${kind} ${subject}${username ? ` (${username})` : ''}`),
    ...(passkeys > 0 ? [`passkeys (${passkeys})`] : []),
  ]
  return [
    `"${name}" is the name of a user's account, and any user can take a free name. Nothing was changed.`,
    `  id:         ${accountId}`,
    `  created:    ${createdAt.toISOString().slice(0, 19)}Z`,
    `  identities: ${methods.join(', ')}`,
    'If you mean this account, repeat the command with its id.',
  ].join('\n')
}

import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { NOW } from '../../server/test/support/fixture.ts'
import type { SignedIn } from '../../server/test/support/oauth-flow.ts'
import { type PersonInBrowser, personInBrowser } from './person-in-browser.ts'

export interface OperatorInBrowser extends Omit<PersonInBrowser, 'person'> {
  operator: SignedIn
}

/** Like `personInBrowser`; the account is an operator. */
export async function operatorInBrowser(settings: Record<string, string> = {}): Promise<OperatorInBrowser> {
  const { person: operator, ...started } = await personInBrowser(settings)
  await setOperator(started.world.database.kysely, operator.account.id, new Date(NOW))
  return { ...started, operator }
}

import type { Transaction } from 'kysely'
import type { DB } from '../../database/tables.ts'

/** Records that the app receives a logout token when the session ends. The caller has locked the session. */
export async function noteSessionApp(transaction: Transaction<DB>, sessionId: string, clientId: string): Promise<void> {
  await transaction
    .insertInto('session_apps')
    .values({ session_id: sessionId, client_id: clientId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

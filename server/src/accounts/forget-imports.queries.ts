import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

/** In place of an account that was deleted. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Removes an account from the history of imports, which remains. */
export async function forgetImports(trx: Transaction<DB>, accountId: string): Promise<void> {
  for (const column of ['account_id', 'applied_by', 'undone_by'] as const)
    await trx
      .updateTable('imports')
      .set({ [column]: NIL_UUID })
      .where(column, '=', accountId)
      .execute()
}

import type { Kysely } from 'kysely'
import type { DB } from './tables.ts'

/** A fact of this installation, the same for all its instances. The first instance that needs it stores it. */
export async function installationValue(db: Kysely<DB>, name: string, make: () => string): Promise<string> {
  const find = () => db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst()
  const found = await find()
  if (found) return found.value
  await db
    .insertInto('installation')
    .values({ name, value: make() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const stored = await find()
  if (!stored) throw new Error(`the installation value ${name} was removed while it was written`)
  return stored.value
}

import type { Kysely } from 'kysely'
import type { DB } from './tables.ts'

/** A fact of this installation, the same for all its instances. The first instance that needs it stores it. */
export async function installationValue(db: Kysely<DB>, name: string, make: () => string): Promise<string> {
  const found = await findInstallationValue(db, name)
  if (found !== undefined) return found
  await db
    .insertInto('installation')
    .values({ name, value: make() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const stored = await findInstallationValue(db, name)
  if (stored === undefined) throw new Error(`the installation value ${name} was removed while it was written`)
  return stored
}

export async function findInstallationValue(db: Kysely<DB>, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/** Replaces a value, unless another process has replaced it. */
export async function replaceInstallationValue(
  db: Kysely<DB>,
  name: string,
  old: string,
  value: string,
): Promise<void> {
  await db.updateTable('installation').set({ value }).where('name', '=', name).where('value', '=', old).execute()
}

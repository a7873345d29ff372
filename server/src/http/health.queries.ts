import { type Reader, statement } from '../database/statement.ts'

const alive = statement('health.alive', 'SELECT 1 AS one')

/** @throws when the database does not answer */
export async function askDatabase(reader: Reader): Promise<void> {
  await reader.read(alive, [])
}

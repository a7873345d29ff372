import type { ClientBase } from 'pg'
import type { BenchContext } from '../harness/row.ts'
import type { BenchDatabase } from './bench-database.ts'
import { addressSql } from './boards.ts'
import { buildOnce, withoutIndexes } from './build-once.ts'

/** The credential of the reading database; every even number's address holds it. */
export const CREDENTIAL = '700'
const STEP = 1_000_000

export async function prepareHolders(
  database: BenchDatabase,
  { sizes, say }: Pick<BenchContext, 'sizes' | 'say'>,
): Promise<void> {
  const { pool } = database
  await buildOnce(database, 'holders', say, {
    clear: () => pool.query('DELETE FROM credential_holders WHERE credential_id = $1', [CREDENTIAL]),
    async build() {
      await pool.query(
        `INSERT INTO credentials (credential_id, name, cred_type, cred_source, item_count, last_update, last_sync)
         VALUES ($1, 'Large', 'EVM_ADDRESS', 'CSV', $2, now(), now()) ON CONFLICT DO NOTHING`,
        [CREDENTIAL, sizes.holders],
      )
      await withoutIndexes(database, 'credential_holders', async (client: ClientBase) => {
        for (let from = 1; from <= sizes.holders; from += STEP) {
          await client.query(
            `INSERT INTO credential_holders (credential_id, generation, address)
             SELECT $1, 1, ${addressSql('(2 * n)')} FROM generate_series($2::bigint, $3::bigint) AS n`,
            [CREDENTIAL, from, Math.min(sizes.holders, from + STEP - 1)],
          )
          say(`  ${Math.min(sizes.holders, from + STEP - 1)} of ${sizes.holders} holders`)
        }
      })
      await pool.query('VACUUM (ANALYZE) credential_holders')
      return sizes.holders
    },
  })
}

/** Addresses of which every second one is a holder. */
export async function someAddresses({ pool }: BenchDatabase, holders: number, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ address: string }>(
    `SELECT ${addressSql('n')} AS address
     FROM (SELECT (random() * 2 * $1::bigint)::bigint AS n FROM generate_series(1, $2::int)) AS numbers`,
    [holders, count],
  )
  return rows.map((row) => row.address)
}

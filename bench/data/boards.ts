import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { countChanges } from '../../server/src/ranking/board-counts.ts'
import type { BenchContext } from '../harness/row.ts'
import type { BenchDatabase } from './bench-database.ts'
import { buildOnce, withoutIndexes } from './build-once.ts'

/** The spaces of the reading database, each with one overall board, by their size. */
export const SPACES = { small: 1, middle: 2, large: 3, tiny: 4 } as const
export type BoardSize = keyof typeof SPACES

const STEP = 500_000

/** An address that belongs to a number: 40 hexadecimal digits that look random, as addresses do. */
export function addressSql(number: string): string {
  return `'0x' || left(encode(sha256(convert_to(${number}::text, 'UTF8')), 'hex'), 40)`
}

/** The address of a member of a board. */
export function addressOf(spaceId: number, number: number): string {
  return `0x${createHash('sha256').update(String(spaceId * 100_000_000 + number)).digest('hex').slice(0, 40)}`
}

/** Makes sure that the boards of these sizes are there: points skewed as in communities, with many ties at the bottom. */
export async function prepareBoards(
  database: BenchDatabase,
  { sizes, say }: Pick<BenchContext, 'sizes' | 'say'>,
  wanted: readonly BoardSize[],
): Promise<void> {
  for (const size of wanted) {
    const [spaceId, members] = [SPACES[size], sizes[size]]
    await buildOnce(database, `board-${size}`, say, {
      clear: () => database.pool.query('DELETE FROM board_entries WHERE space_id = $1', [spaceId]),
      async build() {
        await addSpace(database, spaceId, members)
        const load = (client: Pick<ClientBase, 'query'>) => insertMembers(client, spaceId, members, say)
        await (members > STEP ? withoutIndexes(database, 'board_entries', load) : load(database.pool))
        await database.pool.query('VACUUM (ANALYZE) board_entries')
        return members
      },
    })
  }
  // Otherwise the first service counts the boards while it is measured.
  await countChanges(database.kysely)
}

async function addSpace({ pool }: BenchDatabase, spaceId: number, members: number): Promise<void> {
  await pool.query(
    `INSERT INTO spaces (space_id, name, created_at) VALUES ($1, 'Space ' || $1::int, now()) ON CONFLICT DO NOTHING`,
    [spaceId],
  )
  await pool.query('INSERT INTO space_versions VALUES ($1, 1) ON CONFLICT DO NOTHING', [spaceId])
  await pool.query('INSERT INTO boards VALUES ($1, 0, $2) ON CONFLICT DO NOTHING', [spaceId, members])
}

async function insertMembers(
  client: Pick<ClientBase, 'query'>,
  spaceId: number,
  members: number,
  say: (line: string) => void,
): Promise<void> {
  for (let from = 1; from <= members; from += STEP) {
    const to = Math.min(members, from + STEP - 1)
    await client.query(
      `INSERT INTO board_entries (space_id, sprint_id, points, address, born, username, avatar)
       SELECT $1::int, 0, (1e6 * power((hashint8extended(n, $1::int) & 1048575) / 1048576.0, 4))::int,
              ${addressSql('($1::int * 100000000::bigint + n)')}, 1, 'member' || n, 'https://cdn.example.com/avatars/' || n || '.png'
       FROM generate_series($2::bigint, $3::bigint) AS n`,
      [spaceId, from, to],
    )
    if (members > STEP) say(`  ${to} of ${members} members`)
  }
}

import { randomInt } from 'node:crypto'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { ingestToken } from '../data/ingest-token.ts'
import type { BenchContext } from '../harness/row.ts'
import { benchToken, startService } from '../processes/service.ts'
import { startAwards } from './awards.ts'
import { pageBody, traversalBodies } from './board-pages.ts'
import { startLoadGenerator } from './load.ts'

const SPACE = 40
export const AWARDS_OF_REQUEST = 250
export const SENDERS = 16
export const READERS = 16
/** The number of pages that begin a traversal; the other pages continue one. */
export const FIRST_PAGES = 10

/** A board whose pages clients read while awards change it. */
export interface AwardedBoard {
  database: BenchDatabase
  /** Reads pages of a traversal that begins now. @returns pages a second */
  read: (seconds: number) => Promise<number>
  /** Sends awards until stopped. @param pace how many a second */
  send: (pace: number, seconds: number) => ReturnType<typeof startAwards>
}

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

/**
 * Starts a service with one board of 100,000 members in a database of this name. With `isNew`, they join by their first
 * awards.
 */
export async function withAwardedBoard<T>(
  context: BenchContext,
  name: string,
  work: (board: AwardedBoard) => Promise<T>,
  { isNew = false } = {},
): Promise<T> {
  const members = context.sizes.small
  const database = await context.fresh(name)
  await importRecords({ database, clock: systemClock }, 'spaces', [{ spaceId: SPACE, name: 'Space' }])
  if (!isNew) await fillBoard(database, members)
  const tokens = { read: await benchToken(database), write: await ingestToken(database) }
  const service = await startService(database)
  const generator = startLoadGenerator()
  const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': tokens.read } }
  try {
    return await work({
      database,
      read: async (seconds) => {
        const pages = await traversalBodies({ url: service.url, token: tokens.read }, SPACE, 1_000)
        const bodies = pages.flatMap((page, n) => (n % FIRST_PAGES === 0 ? [pageBody(SPACE, {}), page] : [page]))
        return (await generator.run(target, { bodies, seconds, connections: READERS })).perSecond
      },
      send: (pace, seconds) =>
        startAwards({
          url: service.url,
          token: tokens.write,
          pace,
          seconds,
          batch: AWARDS_OF_REQUEST,
          senders: SENDERS,
          award: (key) => ({
            key,
            spaceId: SPACE,
            address: address(randomInt(members)),
            points: randomInt(1, 1_000),
          }),
        }),
    })
  } finally {
    await generator.close()
    await service.stop()
  }
}

async function fillBoard(database: BenchDatabase, members: number): Promise<void> {
  const points = Array.from({ length: members }, (_, n) => ({
    spaceId: SPACE,
    address: address(n),
    points: randomInt(100_000),
    username: `member${n}`,
  }))
  await importRecords({ database, clock: systemClock }, 'points', points)
  await database.pool.query('VACUUM (ANALYZE) board_entries')
}

import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { ingestToken } from '../data/ingest-token.ts'
import { interleave, median } from '../harness/rounds.ts'
import type { BenchContext, Row, RowResult } from '../harness/row.ts'
import { startAwards } from '../load/awards.ts'
import { pageBody, traversalBodies } from '../load/board-pages.ts'
import { type LoadGenerator, startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { benchToken, type ServiceProcess, startService } from '../processes/service.ts'

const SPACE = 40
const OFFERED = 5_500
/** More than the service stores, so that the row finds the limit of one space. */
const TOO_MANY = 40_000
const BATCH = 250
const SENDERS = 16
const SECONDS = 6
/** The number of pages that begin a traversal; the other pages continue one. */
const FIRST_PAGES = 10

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

export const row: Row = {
  name: 'S7',
  title: 'awards made durable while readers page the same board',
  measures: [
    { title: 'events a second made durable through POST /ingest/v1/awards', bound: '>=', limit: 5_000 },
    { title: 'percent of their throughput that readers lose', bound: '<=', limit: 30 },
    { title: 'events a second of one space without readers, as many as it stores', bound: '>=', limit: 10_000 },
  ],
  async run(context) {
    const database = await context.fresh('s7')
    await fillBoard(database, context.sizes.small)
    const tokens = { read: await benchToken(database), write: await ingestToken(database) }
    const service = await startService(database)
    const generator = startLoadGenerator()
    try {
      return await measure(context, database, service, generator, tokens)
    } finally {
      await generator.close()
      await service.stop()
    }
  },
}

async function measure(
  { rounds, sizes, quick }: BenchContext,
  database: BenchDatabase,
  service: ServiceProcess,
  generator: LoadGenerator,
  tokens: { read: string; write: string },
): Promise<RowResult> {
  const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': tokens.read } }
  const seconds = quick ? 2 : SECONDS
  const read = async () => {
    const pages = await traversalBodies({ url: service.url, token: tokens.read }, SPACE, 1_000)
    const bodies = pages.flatMap((page, n) => (n % FIRST_PAGES === 0 ? [pageBody(SPACE, {}), page] : [page]))
    return (await generator.run(target, { bodies, seconds, connections: 16 })).perSecond
  }
  const events: number[] = []
  const send = (pace: number, seconds: number) =>
    startAwards({
      url: service.url,
      token: tokens.write,
      pace,
      seconds,
      batch: BATCH,
      senders: SENDERS,
      award: (key) => ({
        key,
        spaceId: SPACE,
        address: address(randomInt(sizes.small)),
        points: randomInt(1, 1_000),
      }),
    })
  const both = async () => {
    // The traversal that is read comes first.
    const awards = send(OFFERED, 2 * seconds)
    try {
      return await read()
    } finally {
      events.push(await awards.stop())
    }
  }
  await read()
  const pages = await interleave(rounds, { alone: read, both })
  const losses = pages.alone.map((alone, round) => 100 * (1 - (pages.both[round] as number) / alone))
  const { rows } = await database.pool.query<{ past: number }>('SELECT count(*) AS past FROM board_past')
  // Afterwards, because the rows of the past that it adds would slow the readers down.
  const most: number[] = []
  for (let round = 0; round < rounds; round++) {
    const awards = send(TOO_MANY, seconds)
    await sleep(seconds * 1000)
    most.push(await awards.stop())
  }
  return {
    values: [median(events), median(losses), median(most)],
    figures: [
      { side: 'pages alone', unit: 'pages/s', rounds: pages.alone },
      { side: 'pages while awards land', unit: 'pages/s', rounds: pages.both },
      { side: 'awards made durable while pages are read', unit: 'events/s', rounds: events },
      { side: 'loss of the readers', unit: '%', rounds: losses },
      { side: 'awards of one space without readers, as many as it stores', unit: 'events/s', rounds: most },
    ],
    notes: [
      `A board of ${sizes.small} members; ${OFFERED} events a second are offered in requests of ${BATCH}, over ${SENDERS} connections, each event another member's; acknowledged means committed with synchronous_commit on. 16 readers ask for pages of 50 of a traversal that began just before, every ${FIRST_PAGES}th time for the newest first page. At their end the board held ${rows[0]?.past ?? 0} rows of the past, which cursors may still ask for. Then, without readers, ${TOO_MANY.toLocaleString('en')} events a second are offered.`,
      `${PINNING} The senders run on any core.`,
    ],
  }
}

async function fillBoard(database: BenchDatabase, members: number): Promise<void> {
  const deps = { database, clock: systemClock }
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Space' }])
  const points = Array.from({ length: members }, (_, n) => ({
    spaceId: SPACE,
    address: address(n),
    points: randomInt(100_000),
    username: `member${n}`,
  }))
  await importRecords(deps, 'points', points)
  await database.pool.query('VACUUM (ANALYZE) board_entries')
}

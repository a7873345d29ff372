import { setTimeout as sleep } from 'node:timers/promises'
import { interleave, median } from '../harness/rounds.ts'
import type { BenchContext, Row, RowResult } from '../harness/row.ts'
import {
  type AwardedBoard,
  AWARDS_OF_REQUEST,
  FIRST_PAGES,
  READERS,
  SENDERS,
  withAwardedBoard,
} from '../load/awarded-board.ts'
import { PINNING } from '../processes/cores.ts'

const OFFERED = 5_500
/** More than the service stores, so that the row finds the limit of one space. */
const TOO_MANY = 40_000
const SECONDS = 6

export const row: Row = {
  name: 'S7',
  title: 'awards made durable while readers page the same board',
  measures: [
    { title: 'events a second made durable through POST /ingest/v1/awards', bound: '>=', limit: 5_000 },
    { title: 'percent of their throughput that readers lose', bound: '<=', limit: 30 },
    { title: 'events a second of one space without readers, as many as it stores', bound: '>=', limit: 10_000 },
  ],
  run: (context) => withAwardedBoard(context, 's7', (board) => measure(context, board)),
}

async function measure({ rounds, sizes, quick }: BenchContext, board: AwardedBoard): Promise<RowResult> {
  const seconds = quick ? 2 : SECONDS
  const read = () => board.read(seconds)
  const events: number[] = []
  const both = async () => {
    // The traversal that is read comes first.
    const awards = board.send(OFFERED, 2 * seconds)
    try {
      return await read()
    } finally {
      events.push(await awards.stop())
    }
  }
  await read()
  const pages = await interleave(rounds, { alone: read, both })
  const losses = pages.alone.map((alone, round) => 100 * (1 - (pages.both[round] as number) / alone))
  const { rows } = await board.database.pool.query<{ past: number }>('SELECT count(*) AS past FROM board_past')
  // Afterwards, because the rows of the past that it adds would slow the readers down.
  const most: number[] = []
  for (let round = 0; round < rounds; round++) {
    const awards = board.send(TOO_MANY, seconds)
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
      `A board of ${sizes.small} members; ${OFFERED} events a second are offered in requests of ${AWARDS_OF_REQUEST}, over ${SENDERS} connections, each event another member's; acknowledged means committed with synchronous_commit on. ${READERS} readers ask for pages of 50 of a traversal that began just before, every ${FIRST_PAGES}th time for the newest first page. At their end the board held ${rows[0]?.past ?? 0} rows of the past, which cursors may still ask for. Then, without readers, ${TOO_MANY.toLocaleString('en')} events a second are offered.`,
      `${PINNING} The senders run on any core.`,
    ],
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { median, ratios } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { AWARDS_OF_REQUEST, SENDERS, withAwardedBoard } from '../load/awarded-board.ts'

/** More than the service stores. */
const TOO_MANY = 40_000
const SECONDS = 10

export const row: Row = {
  name: 'S23',
  title: 'awards of a new installation',
  measures: [{ title: 'awards in the first ten seconds in those of the next ten', bound: '>=', limit: 0.5 }],
  async run(context) {
    const first: number[] = []
    const next: number[] = []
    for (let round = 0; round < context.rounds; round++)
      await withAwardedBoard(
        context,
        `s23_${round}`,
        async (board) => {
          for (const found of [first, next]) {
            const awards = board.send(TOO_MANY, SECONDS)
            await sleep(SECONDS * 1_000)
            found.push(await awards.stop())
          }
        },
        { isNew: true },
      )
    return {
      values: [median(ratios(first, next))],
      figures: [
        { side: 'awards in the first ten seconds', unit: 'events/s', rounds: first },
        { side: 'awards in the next ten seconds', unit: 'events/s', rounds: next },
      ],
      notes: [
        `An empty database and one space. ${SENDERS} connections send requests of ${AWARDS_OF_REQUEST} awards, each to one of ${context.sizes.small} members, who join by their first award.`,
      ],
    }
  },
}

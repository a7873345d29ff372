import { interleave } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { AWARDS_OF_REQUEST, READERS, withAwardedBoard } from '../load/awarded-board.ts'
import { drawn } from '../load/points.ts'
import { PINNING } from '../processes/cores.ts'

/** Offered awards a second. */
const OFFERED = [500, 1_000, 2_000, 4_000, 8_000, 16_000]
const SECONDS = 4

export const row: Row = {
  name: 'G4',
  title: 'what awards take from the readers of their board',
  measures: [],
  run: (context) =>
    withAwardedBoard(context, 'g4', async (board) => {
      const { rounds, quick, sizes } = context
      const seconds = quick ? 1 : SECONDS
      const stored = new Map(OFFERED.map((pace) => [pace, [] as number[]]))
      const readWhile = (pace: number) => async () => {
        const awards = board.send(pace, 2 * seconds)
        try {
          return await board.read(seconds)
        } finally {
          stored.get(pace)?.push(await awards.stop())
        }
      }
      await board.read(seconds)
      const pages = await interleave<string, number>(rounds, {
        alone: () => board.read(seconds),
        ...Object.fromEntries(OFFERED.map((pace) => [pace, readWhile(pace)])),
      })
      const alone = pages.alone ?? []
      const during = OFFERED.map((pace) => pages[pace] ?? [])
      const landed = OFFERED.map((pace) => stored.get(pace) ?? [])
      const note = `One board of ${sizes.small.toLocaleString('en')} members, ${READERS} readers of pages of 50, awards in requests of ${AWARDS_OF_REQUEST}; medians and ranges of ${rounds} rounds.`
      const picture = {
        title: 'Awards against the readers of their board',
        across: 'awards a second that are sent',
        at: OFFERED,
        panels: [
          {
            title: 'Pages a second',
            curves: [
              { name: 'while awards are stored', points: during },
              { name: 'without awards', points: OFFERED.map(() => alone) },
            ],
          },
          { title: 'Awards a second that are stored', curves: [{ name: 'stored', points: landed }] },
        ],
        note,
      }
      return drawn(context, 'awards-and-readers.svg', picture, {
        values: [],
        figures: [
          { side: 'pages without awards', unit: 'pages/s', rounds: alone },
          ...OFFERED.flatMap((pace, n) => [
            { side: `pages while ${pace} awards a second are sent`, unit: 'pages/s', rounds: during[n] ?? [] },
            { side: `stored of ${pace} awards a second`, unit: 'awards/s', rounds: landed[n] ?? [] },
          ]),
        ],
        notes: [note, `${PINNING} The senders run on any core.`],
      })
    }),
}

import { prepareBoards, SPACES } from '../data/boards.ts'
import { median } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { pageRequests, placesBehind } from '../load/first-time.ts'
import { costPanel, curve, drawn, figuresOf, withLoad } from '../load/points.ts'
import { PINNING } from '../processes/cores.ts'
import { PAGE } from '../references/loyalty-page.ts'

const DEPTHS = [1, 10, 100, 1_000, 10_000, 100_000]
const PAGES = 3_000
const CONNECTIONS = 16

export const row: Row = {
  name: 'G2',
  title: 'the cost of a page by its depth',
  measures: [{ title: 'processor time of the deepest page in that of page 1', bound: '<=', limit: 1.2 }],
  async run(context) {
    const { rounds, sizes } = context
    const database = await context.reading()
    await prepareBoards(database, context, ['large'])
    const board = { spaceId: SPACES.large, members: sizes.large }
    return withLoad(database, async (along) => {
      const places = []
      for (const at of DEPTHS.filter((depth) => depth * PAGE + PAGES < board.members)) {
        const behind = await placesBehind(database, board.spaceId, (at - 1) * PAGE, PAGES)
        const bodies = async () => (await pageRequests(database, board, behind)).service
        places.push({ at, bodies, connections: CONNECTIONS })
      }
      const measured = await along(places, rounds)
      const cost = measured.map((place) =>
        median(place.rounds.map(({ service, postgres }) => service + (postgres || 0))),
      )
      const note = `Pages of 50 behind ${PAGES} members in a row from there on, each asked for once, ${CONNECTIONS} connections; medians and ranges of ${rounds} rounds.`
      const picture = {
        title: `Page 1 to page ${places.at(-1)?.at.toLocaleString('en')} of a board of ${board.members.toLocaleString('en')}`,
        across: 'page',
        at: measured.map(({ at }) => at),
        panels: [
          { title: 'Pages a second', curves: [curve('first-time pages', measured, 'perSecond')] },
          costPanel(measured, 'page'),
        ],
        note,
      }
      return drawn(context, 'page-depth.svg', picture, {
        values: [(cost.at(-1) ?? NaN) / (cost[0] ?? NaN)],
        figures: figuresOf((at) => `page ${at}`, measured, 'page'),
        notes: [note, PINNING],
      })
    })
  },
}

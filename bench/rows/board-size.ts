import { type BoardSize, prepareBoards, SPACES } from '../data/boards.ts'
import { median } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { pageRequests, placesOnBoard } from '../load/first-time.ts'
import { costPanel, curve, drawn, figuresOf, withLoad } from '../load/points.ts'
import { PINNING } from '../processes/cores.ts'

const BOARDS: readonly BoardSize[] = ['tiny', 'small', 'middle', 'large']
const PAGES = 3_000
const CONNECTIONS = 16

export const row: Row = {
  name: 'G1',
  title: 'the cost of a page as boards grow',
  measures: [
    { title: "processor time of a page of the largest board in that of the smallest's", bound: '<=', limit: 1.5 },
  ],
  async run(context) {
    const { rounds, sizes } = context
    const database = await context.reading()
    await prepareBoards(database, context, BOARDS)
    return withLoad(database, async (along) => {
      const places = []
      for (const size of BOARDS) {
        const board = { spaceId: SPACES[size], members: sizes[size] }
        const behind = await placesOnBoard(database, board.spaceId, PAGES)
        const bodies = async () => (await pageRequests(database, board, behind)).service
        places.push({ at: board.members, bodies, connections: CONNECTIONS })
      }
      const measured = await along(places, rounds)
      const cost = measured.map((place) =>
        median(place.rounds.map(({ service, postgres }) => service + (postgres || 0))),
      )
      const note = `Pages of 50 all over each board, ${PAGES} a round, each asked for once, ${CONNECTIONS} connections; medians and ranges of ${rounds} rounds.`
      const picture = {
        title: 'Pages of boards of 10,000 to 10,000,000 members',
        across: 'members of the board',
        at: measured.map(({ at }) => at),
        panels: [
          { title: 'Pages a second', curves: [curve('first-time pages', measured, 'perSecond')] },
          costPanel(measured, 'page'),
        ],
        note,
      }
      return drawn(context, 'board-size.svg', picture, {
        values: [(cost.at(-1) ?? NaN) / (cost[0] ?? NaN)],
        figures: figuresOf((at) => `${at} members`, measured, 'page'),
        notes: [note, PINNING],
      })
    })
  },
}

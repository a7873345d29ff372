import { prepareBoards, SPACES } from '../data/boards.ts'
import { median } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { pageRequests, placesOnBoard } from '../load/first-time.ts'
import { curve, drawn, figuresOf, type Measured, type Place, withLoad } from '../load/points.ts'
import { PINNING } from '../processes/cores.ts'

const CONNECTIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
const PAGES = 4_000
/** One connection alone waits for every answer: it is asked for fewer. */
const PAGES_OF_ONE = 750

export const row: Row = {
  name: 'G3',
  title: 'throughput and cost as connections grow',
  measures: [
    { title: 'first-time pages/s on 1,024 connections in those of the best number', bound: '>=', limit: 0.8 },
    { title: 'repeated pages/s on 1,024 connections in those of the best number', bound: '>=', limit: 0.8 },
  ],
  async run(context) {
    const { rounds, sizes } = context
    const database = await context.reading()
    await prepareBoards(database, context, ['middle'])
    const board = { spaceId: SPACES.middle, members: sizes.middle }
    return withLoad(database, async (along) => {
      const behind = await placesOnBoard(database, board.spaceId, PAGES)
      const most = (connections: number) => Math.min(behind.length, connections * PAGES_OF_ONE)
      const places = (bodies: (connections: number) => Promise<string[]>): Place[] =>
        CONNECTIONS.map((connections) => ({
          at: connections,
          connections,
          bodies: () => bodies(connections),
        }))
      const newPages = async (connections: number) =>
        (await pageRequests(database, board, behind.slice(0, most(connections)))).service
      const samePage = async (connections: number) =>
        Array<string>(2 * most(connections)).fill(pageBody(SPACES.middle, {}))
      const first = await along(places(newPages), rounds)
      const again = await along(places(samePage), rounds)
      const note = `Pages of 50 of a board of ${board.members.toLocaleString('en')} on keep-alive connections, each of which asks one thing after the other; medians and ranges of ${rounds} rounds.`
      const named = [
        { name: 'first-time pages', measured: first },
        { name: 'the same page again', measured: again },
      ]
      const picture = {
        title: '1 to 1,024 connections',
        across: 'connections',
        at: CONNECTIONS,
        panels: [
          { title: 'Pages a second', curves: named.map(({ name, measured }) => curve(name, measured, 'perSecond')) },
          {
            title: 'Processor time of the service, µs a page',
            curves: named.map(({ name, measured }) => curve(name, measured, 'service')),
          },
        ],
        note,
      }
      return drawn(context, 'connections.svg', picture, {
        values: named.map(({ measured }) => {
          const rates = measured.map((place) => median(place.rounds.map(({ perSecond }) => perSecond)))
          return (rates.at(-1) ?? NaN) / Math.max(...rates)
        }),
        figures: named.flatMap(({ name, measured }) => figuresOf((at) => `${at}, ${name}`, measured, 'page')),
        notes: [note, told(named.flatMap(({ measured }) => measured)), PINNING],
      })
    })
  },
}

function told(measured: Measured): string {
  const refused = measured.flatMap(({ at, rounds }) => (rounds.some((point) => point.refused > 0) ? [at] : []))
  if (refused.length === 0) return 'No request was refused.'
  return `Some requests were refused with 503, because more waited than can be answered in time, on ${[...new Set(refused)].join(', ')} connections; pages a second are those that were answered.`
}

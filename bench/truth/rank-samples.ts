import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryEndpoint } from '../load/board-pages.ts'
import {
  type AroundPage,
  readRanksAround,
  readMemberRank,
  readMemberRanks,
  type RankedMember,
} from '../load/member-ranks.ts'
import type { AwardLog } from './award-log.ts'
import { persistently } from './read-board.ts'

/** One response with ranks, and between which batches it was read. */
export interface RankSample {
  /** Batches that were acknowledged before the request. */
  from: number
  /** Batches that had been sent when the response had come. */
  to: number
  /** What it shows of members that were asked for; null of those that are not on the board. */
  members: ReadonlyMap<string, RankedMember>
  page?: AroundPage | undefined
}

interface Reading {
  endpoints: () => readonly QueryEndpoint[]
  spaceId: number
  sprintId?: number | undefined
  log: AwardLog
  /** Returns a random address. */
  draw: () => string
}

const BATCH = 20
const PAGE = 10
const PAUSE_MS = 5

/** Asks for ranks of random members, alone, in batches and around a member, until the signal. */
export async function sampleRanks(reading: Reading, stop: AbortSignal): Promise<RankSample[]> {
  const { endpoints, spaceId, sprintId, log, draw } = reading
  const board = { spaceId, sprintId }
  const samples: RankSample[] = []
  for (let turn = 0; !stop.aborted; turn++) {
    const from = log.acknowledged
    const addresses = Array.from({ length: turn % 3 === 1 ? BATCH : 1 }, draw)
    const [address = ''] = addresses
    if (turn % 3 === 2) {
      const page = await persistently(endpoints, (endpoint) => readRanksAround(endpoint, board, address, PAGE))
      const members = new Map(page ? [] : [[address, null] as const])
      samples.push({ from, to: log.sent, members, page })
    } else {
      const shown = await persistently(endpoints, async (endpoint) =>
        turn % 3 === 1 ? readMemberRanks(endpoint, board, addresses) : [await readMemberRank(endpoint, board, address)],
      )
      samples.push({ from, to: log.sent, members: new Map(addresses.map((each, n) => [each, shown[n] ?? null])) })
    }
    await sleep(PAUSE_MS)
  }
  return samples
}

/** The number of samples that differ from each board that was current while they were read. */
export function disagreements(samples: readonly RankSample[], log: AwardLog): number {
  const open = new Set(samples)
  const starting = Map.groupBy(samples, ({ from }) => from)
  let current: RankSample[] = []
  for (const [batches, board] of log.boards()) {
    current.push(...(starting.get(batches) ?? []))
    if (current.length > 0) {
      const sorted = new SortedBoard(board)
      for (const sample of current) if (agrees(sample, sorted)) open.delete(sample)
    }
    current = current.filter((sample) => open.has(sample) && sample.to > batches)
  }
  return open.size
}

function agrees({ members, page }: RankSample, board: SortedBoard): boolean {
  for (const [address, shown] of members) {
    const points = board.pointsOf(address)
    if (points === undefined || shown === null) {
      if (points !== undefined || shown !== null) return false
    } else if (shown.points !== points || shown.rank !== board.rank(points) || shown.totalCount !== board.size)
      return false
  }
  if (!page) return true
  const start = board.position(page.list[0])
  return (
    page.totalCount === board.size &&
    start !== undefined &&
    page.list.every((shown, n) => board.holds(start + n, shown) && shown.rank === board.rank(shown.points))
  )
}

/** The order of one version, computed in a simple way. */
class SortedBoard {
  readonly #points: ReadonlyMap<string, number>
  readonly #order: { address: string; points: number }[]
  readonly #positions: Map<string, number>
  readonly #ranks = new Map<number, number>()

  constructor(points: ReadonlyMap<string, number>) {
    this.#points = points
    this.#order = [...points].map(([address, own]) => ({ address, points: own }))
    this.#order.sort((a, b) => b.points - a.points || (a.address < b.address ? -1 : 1))
    this.#positions = new Map(this.#order.map(({ address }, n) => [address, n]))
    for (const [n, { points: own }] of this.#order.entries()) if (!this.#ranks.has(own)) this.#ranks.set(own, n + 1)
  }

  get size(): number {
    return this.#order.length
  }

  pointsOf(address: string): number | undefined {
    return this.#points.get(address)
  }

  rank(points: number): number | undefined {
    return this.#ranks.get(points)
  }

  position(shown: { address: string } | undefined): number | undefined {
    return shown && this.#positions.get(shown.address)
  }

  holds(position: number, { address, points }: { address: string; points: number }): boolean {
    const there = this.#order[position]
    return there?.address === address && there.points === points
  }
}

import type { Kysely } from 'kysely'
import { type Clock, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { tellOfAwards } from './board-events.ts'
import { addedStandings, applyChanges, knownBoards, lockSpaces, recordVersionTimes } from './boards.queries.ts'
import { type Standing, standingsAsChanges } from './boards.queries.ts'

/** Points are 32 bits wide (contract 2). */
export const LEAST_POINTS = -2_147_483_648
export const MOST_POINTS = 2_147_483_647

/** How often the time of a space's version is noted, at most. */
const VERSION_TIME_INTERVAL = 5 * SECOND

/** Points given to (or, when negative, taken from) a member, overall and in a sprint when one is named. */
export interface Award {
  spaceId: number
  sprintId?: number | undefined
  /** In canonical form (addresses.ts). */
  address: string
  points: number
}

/** Why awards are refused; `index` is the place among those given. */
export interface AwardProblem {
  index: number
  field: 'spaceId' | 'sprintId' | 'points'
  reason: string
}

/** None of the awards was applied. */
export class AwardsRefusedError extends Error {
  override name = 'AwardsRefusedError'
  readonly problems: readonly AwardProblem[]
  constructor(problems: readonly AwardProblem[]) {
    super(problems.map(({ index, field, reason }) => `award ${index}, ${field}: ${reason}`).join('\n'))
    this.problems = problems
  }
}

/**
 * Adds signed awards to the overall board and to the sprint of each; every space that changes gets one new version.
 * Holds the spaces' locks until the transaction ends.
 * @returns how the members stand whose points changed, by space, sprint and address
 * @throws AwardsRefusedError when a space or sprint is unknown or a member's points would leave 32 bits
 */
export async function applyAwards(trx: Kysely<DB>, awards: readonly Award[], clock: Clock): Promise<Standing[]> {
  if (awards.length === 0) return []
  const spaceIds = [...new Set(awards.map((award) => award.spaceId))]
  await refuseUnknownBoards(trx, awards)
  await lockSpaces(trx, spaceIds)
  const standings = await addedStandings(trx, sumByMember(awards))
  refuseOverflow(awards, standings)
  const changed = standings.filter((standing) => standing.points !== standing.before)
  if (changed.length > 0) {
    await applyChanges(trx, standingsAsChanges(changed))
    await recordVersions(trx, [...new Set(changed.map((standing) => standing.space_id))], clock)
  }
  await tellOfAwards(trx, awards, standings, new Date(clock.now()))
  return changed
}

/** Notes the times of new versions, late in the transaction that makes them. */
export async function recordVersions(trx: Kysely<DB>, spaceIds: readonly number[], clock: Clock): Promise<void> {
  const now = clock.now()
  await recordVersionTimes(trx, spaceIds, new Date(now), new Date(now - VERSION_TIME_INTERVAL))
}

const key = (spaceId: number, sprintId: number, address: string) => `${spaceId} ${sprintId} ${address}`

function sumByMember(
  awards: readonly Award[],
): { spaceId: number; sprintId: number; address: string; points: number }[] {
  const sums = new Map<string, { spaceId: number; sprintId: number; address: string; points: number }>()
  for (const { spaceId, sprintId, address, points } of awards)
    for (const board of sprintId === undefined ? [0] : [0, sprintId]) {
      const sum = sums.get(key(spaceId, board, address))
      if (sum) sum.points += points
      else sums.set(key(spaceId, board, address), { spaceId, sprintId: board, address, points })
    }
  return [...sums.values()]
}

async function refuseUnknownBoards(trx: Kysely<DB>, awards: readonly Award[]): Promise<void> {
  const asked = awards.flatMap(({ spaceId, sprintId }) => [
    { spaceId, sprintId: 0 },
    ...(sprintId === undefined ? [] : [{ spaceId, sprintId }]),
  ])
  const distinct = [...new Map(asked.map((board) => [key(board.spaceId, board.sprintId, ''), board])).values()]
  const known = new Set((await knownBoards(trx, distinct)).map((row) => key(row.space_id, row.sprint_id, '')))
  const problems = awards.flatMap(({ spaceId, sprintId }, index): AwardProblem[] => {
    if (!known.has(key(spaceId, 0, ''))) return [{ index, field: 'spaceId', reason: `${spaceId} is not a known space` }]
    if (sprintId === undefined || (sprintId > 0 && known.has(key(spaceId, sprintId, '')))) return []
    return [{ index, field: 'sprintId', reason: `${sprintId} is not a known sprint of space ${spaceId}` }]
  })
  if (problems.length > 0) throw new AwardsRefusedError(problems)
}

function refuseOverflow(awards: readonly Award[], standings: readonly Standing[]): void {
  const over = standings.filter(({ points }) => points < LEAST_POINTS || points > MOST_POINTS)
  if (over.length === 0) return
  const totals = new Map(over.map((s) => [key(s.space_id, s.sprint_id, s.address), s.points]))
  const problems = awards.flatMap(({ spaceId, sprintId = 0, address }, index): AwardProblem[] => {
    const total = totals.get(key(spaceId, 0, address)) ?? totals.get(key(spaceId, sprintId, address))
    if (total === undefined) return []
    const reason = `would make the points ${total}; allowed: a total from ${LEAST_POINTS} to ${MOST_POINTS}`
    return [{ index, field: 'points', reason }]
  })
  throw new AwardsRefusedError(problems)
}

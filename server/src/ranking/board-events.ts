import type { Kysely } from 'kysely'
import type { Reader } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { type AwardCause, type AwardedPoints, MEMBERS_PER_MESSAGE } from '../webhooks/events.ts'
import {
  hasSubscriptions,
  type Outgoing,
  publish,
  spaceSubject,
  type Subscription,
  subscriptionsTo,
} from '../webhooks/outbox.ts'
import { changedBoards, largestRaises, newestVersions, readCurrentEntries } from './board-events.queries.ts'
import type { Changes } from './boards.queries.ts'
import { pieces } from './first-places.ts'
import { type Subscriptions, emitRankEvents } from './starboards/events.ts'

/** The maximum number of raises that one import reports per endpoint and space; the largest are reported. */
export const MAX_RAISES = 10_000

/** A change of points that is emitted. */
export interface EmittedAward {
  sprintId: number
  address: string
  points: number
  cause: AwardCause
}

/** A webhook that receives an award also receives its reversal. */
const isHeard = ({ points, cause }: EmittedAward, least: number) =>
  (cause === 'reversal' || cause === 'expiry' ? Math.abs(points) : points) >= least

const AWARD_EVENTS = ['points.awarded', 'rank.entered', 'rank.left'] as const

/** Whether a webhook listens to the awards of a space. */
export const hasListeners = (database: Reader, spaceId: number): Promise<boolean> =>
  hasSubscriptions(database, spaceSubject(spaceId), AWARD_EVENTS)

/** Emits the events of awards in a space. Runs in their transaction, after they were applied. */
export async function emitAwardEvents(
  trx: Kysely<DB>,
  spaceId: number,
  awards: readonly EmittedAward[],
  changed: readonly { sprintId: number }[],
  now: Date,
): Promise<void> {
  const subscriptions = await listeners(trx, [spaceId])
  const ofSpace = subscriptions.get(spaceId)
  if (!ofSpace) return
  const versions = await newestVersions(trx, [spaceId])
  const version = versions.get(spaceId) ?? 0
  const messages: Outgoing[] = []
  const hearers = hearing(ofSpace, 'points.awarded')
  const least = Math.min(...hearers.map(({ min_points }) => min_points))
  const told = awards.filter((award) => isHeard(award, least))
  const members =
    told.length === 0
      ? new Map<string, never>()
      : await readCurrentEntries(trx, spaceId, 0, [...new Set(told.map(({ address }) => address))])
  for (const { endpoint_id, min_points } of hearers)
    for (const [cause, same] of Map.groupBy(told, (award) => award.cause)) {
      const heard = same.flatMap((award): AwardedPoints[] => {
        const { address, points, sprintId } = award
        const member = members.get(address)
        if (!isHeard(award, min_points) || !member) return []
        return [{ address, username: member.username, sprintId: sprintId || null, points, total: member.points }]
      })
      messages.push(...awarded(endpoint_id, { spaceId, version, cause, omitted: 0 }, heard))
    }
  const boards = changed.map(({ sprintId }) => ({ space_id: spaceId, sprint_id: sprintId }))
  messages.push(...(await emitRankEvents(trx, subscriptions, boards, versions)))
  await publish(trx, messages, now)
}

/** Emits the events of members that left or joined boards of a space without a change of points. */
export async function emitMoves(
  trx: Kysely<DB>,
  spaceId: number,
  moved: readonly { sprintId: number }[],
  now: Date,
): Promise<void> {
  const subscriptions = await listeners(trx, [spaceId])
  if (subscriptions.size === 0) return
  const boards = moved.map(({ sprintId }) => ({ space_id: spaceId, sprint_id: sprintId }))
  await publish(trx, await emitRankEvents(trx, subscriptions, boards, await newestVersions(trx, [spaceId])), now)
}

/** Emits the events of an import for the boards of the given spaces. Runs after its changes were applied. */
export async function emitImportEvents(
  trx: Kysely<DB>,
  changes: Changes,
  spaceIds: readonly number[],
  now: Date,
): Promise<void> {
  const subscriptions = await listeners(trx, spaceIds)
  if (subscriptions.size === 0) return
  const versions = await newestVersions(trx, [...subscriptions.keys()])
  const messages: Outgoing[] = []
  for (const [spaceId, each] of subscriptions)
    for (const { endpoint_id, min_points } of hearing(each, 'points.awarded')) {
      const raises = await largestRaises(trx, changes, spaceId, min_points, MAX_RAISES)
      const omitted = (raises[0]?.members ?? 0) - raises.length
      const told = raises.map(({ address, username, points, total }) => ({
        address,
        username,
        sprintId: null,
        points,
        total,
      }))
      const about = { spaceId, version: versions.get(spaceId) ?? 0, cause: 'import' as const, omitted }
      messages.push(...awarded(endpoint_id, about, told))
    }
  const changed = await changedBoards(trx, changes, [...subscriptions.keys()])
  messages.push(...(await emitRankEvents(trx, subscriptions, changed, versions)))
  await publish(trx, messages, now)
}

/** Subscriptions by space; spaces without subscriptions are omitted. */
async function listeners(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<Subscriptions> {
  const subjects = new Map(spaceIds.map((spaceId) => [spaceSubject(spaceId), spaceId]))
  const found = await subscriptionsTo(trx, [...subjects.keys()], AWARD_EVENTS)
  return Map.groupBy(found, ({ subject }) => subjects.get(subject) as number)
}

const hearing = (subscriptions: readonly Subscription[], type: Subscription['event_types'][number]) =>
  subscriptions.filter(({ event_types }) => event_types.includes(type))

function awarded(
  endpointId: string,
  about: { spaceId: number; version: number; cause: AwardCause; omitted: number },
  awards: readonly AwardedPoints[],
): Outgoing[] {
  return pieces(awards, MEMBERS_PER_MESSAGE).map((piece) => ({
    endpointId,
    type: 'points.awarded',
    data: { ...about, awards: piece },
  }))
}

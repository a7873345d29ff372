import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type AwardedPoints, MEMBERS_A_MESSAGE } from '../webhooks/events.ts'
import { type Outgoing, publish, spaceSubject, type Subscription, subscriptionsTo } from '../webhooks/outbox.ts'
import { changedBoards, largestRaises, newestVersions } from './board-events.queries.ts'
import type { Award } from './boards.ts'
import type { Changes, Standing } from './boards.queries.ts'
import { pieces } from './first-places.ts'
import { type Subscriptions, tellOfRanks } from './rank-events.ts'

/** Members whose raise one import tells of, at most, an endpoint and space: the largest raises. */
export const MOST_RAISES = 10_000

/** Tells those who listen what awards did; after they were applied, in their transaction. */
export async function tellOfAwards(
  trx: Kysely<DB>,
  awards: readonly Award[],
  standings: readonly Standing[],
  now: Date,
): Promise<void> {
  const subscriptions = await listeners(trx, [...new Set(awards.map((award) => award.spaceId))])
  if (subscriptions.size === 0) return
  const versions = await newestVersions(trx, [...subscriptions.keys()])
  const overall = new Map(standings.filter((s) => s.sprint_id === 0).map((s) => [memberKey(s.space_id, s.address), s]))
  const messages: Outgoing[] = []
  for (const [spaceId, each] of subscriptions) {
    const version = versions.get(spaceId) ?? 0
    const ofSpace = awards.filter((award) => award.spaceId === spaceId)
    for (const { endpoint_id, min_points } of hearing(each, 'points.awarded')) {
      const told = ofSpace.flatMap(({ address, points, sprintId = 0 }): AwardedPoints[] => {
        const member = overall.get(memberKey(spaceId, address))
        if (points < min_points || !member) return []
        return [{ address, username: member.username, sprintId: sprintId || null, points, total: member.points }]
      })
      messages.push(...awarded(endpoint_id, { spaceId, version, cause: 'award', omitted: 0 }, told))
    }
  }
  const changed = standings.filter((standing) => standing.points !== standing.before)
  messages.push(...(await tellOfRanks(trx, subscriptions, changed, versions)))
  await publish(trx, messages, now)
}

/** Tells those who listen what an import did to the boards of these spaces; after its changes were applied. */
export async function tellOfImport(
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
      const raises = await largestRaises(trx, changes, spaceId, min_points, MOST_RAISES)
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
  messages.push(...(await tellOfRanks(trx, subscriptions, changed, versions)))
  await publish(trx, messages, now)
}

/** By space; spaces to which nobody listens are left out. */
async function listeners(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<Subscriptions> {
  const subjects = new Map(spaceIds.map((spaceId) => [spaceSubject(spaceId), spaceId]))
  const found = await subscriptionsTo(trx, [...subjects.keys()], ['points.awarded', 'rank.entered', 'rank.left'])
  return Map.groupBy(found, ({ subject }) => subjects.get(subject) as number)
}

const memberKey = (spaceId: number, address: string) => `${spaceId} ${address}`
const hearing = (subscriptions: readonly Subscription[], type: Subscription['event_types'][number]) =>
  subscriptions.filter(({ event_types }) => event_types.includes(type))

function awarded(
  endpointId: string,
  about: { spaceId: number; version: number; cause: 'award' | 'import'; omitted: number },
  awards: readonly AwardedPoints[],
): Outgoing[] {
  return pieces(awards, MEMBERS_A_MESSAGE).map((piece) => ({
    endpointId,
    type: 'points.awarded',
    data: { ...about, awards: piece },
  }))
}

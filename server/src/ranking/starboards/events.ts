import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { type EnteredMember, type LeftMember, MEMBERS_PER_MESSAGE, type TopBoard } from '../../webhooks/events.ts'
import { type Outgoing, publish, starboardSubject, type Subscription, subscriptionsTo } from '../../webhooks/outbox.ts'
import { firstMembers, readCurrentEntries } from '../board-events.queries.ts'
import { firstPlacesChanged, pieces, ranked } from '../first-places.ts'
import { topsOfRankings } from './events.queries.ts'

/** Subscriptions by space; spaces without subscriptions are omitted. */
export type Subscriptions = ReadonlyMap<number, readonly Subscription[]>

/** Emits events about the first places of boards, before and after the newest version of each space. */
export async function emitRankEvents(
  trx: Kysely<DB>,
  subscriptions: Subscriptions,
  changed: readonly { space_id: number; sprint_id: number }[],
  versions: ReadonlyMap<number, number>,
): Promise<Outgoing[]> {
  const watchers = (spaceId: number, sprintId: number) =>
    (subscriptions.get(spaceId) ?? []).filter(
      ({ event_types, boards }) =>
        event_types.some((type) => type.startsWith('rank.')) &&
        (boards === 'all' || (boards === 'overall') === (sprintId === 0)),
    )
  const boards = [...new Map(changed.map((board) => [`${board.space_id} ${board.sprint_id}`, board])).values()]
  const messages: Outgoing[] = []
  for (const { space_id: spaceId, sprint_id: sprintId } of boards) {
    const watching = watchers(spaceId, sprintId)
    if (watching.length === 0) continue
    const version = versions.get(spaceId) ?? 0
    const top = Math.max(...watching.map((watcher) => watcher.top))
    const rows = await firstMembers(trx, { spaceId, sprintId, version, top })
    const members = rows.map((row) => ({ ...row, member: row.address, score: row.points }))
    const before = ranked(members.filter(({ side }) => side === 'before'))
    const after = ranked(members.filter(({ side }) => side === 'after'))
    const changes = watching.map((watcher) => ({ watcher, ...firstPlacesChanged(before, after, watcher.top) }))
    const gone = [...new Set(changes.flatMap(({ left }) => left.map(({ address }) => address)))]
    const now = gone.length === 0 ? new Map<string, never>() : await readCurrentEntries(trx, spaceId, sprintId, gone)
    for (const { watcher, entered, left } of changes)
      messages.push(
        ...rankMessages(
          watcher,
          { spaceId, sprintId: sprintId || null, version, top: watcher.top },
          entered.map(({ address, username, rank, points }) => ({ address, username, rank, points })),
          left.map(({ address, username, rank, points }) => ({
            address,
            previousRank: rank,
            ...(now.get(address) ?? { username, points }),
          })),
        ),
      )
  }
  return messages
}

/** Emits events about members that entered or left the first places of a starboard with this version. */
export async function emitRankingEvents(
  trx: Kysely<DB>,
  starboardId: string,
  version: number,
  now: Date,
): Promise<void> {
  const watchers = await subscriptionsTo(trx, [starboardSubject(starboardId)], ['rank.entered', 'rank.left'])
  if (watchers.length === 0) return
  const top = Math.max(...watchers.map((watcher) => watcher.top))
  const rows = await topsOfRankings(trx, starboardId, version, top)
  const members = rows.map((row) => ({ ...row, member: row.handle }))
  const before = members.filter((row) => row.version !== version)
  const after = members.filter((row) => row.version === version)
  const messages = watchers.flatMap((watcher) => {
    const { entered, left } = firstPlacesChanged(before, after, watcher.top)
    return rankMessages(
      watcher,
      { starboardId, version, top: watcher.top },
      entered.map(({ handle, username, rank, score }) => ({ handle, username, rank, score })),
      left.map(({ handle, username, rank, score_now }) => ({ handle, username, previousRank: rank, score: score_now })),
    )
  })
  await publish(trx, messages, now)
}

function rankMessages(
  { endpoint_id: endpointId, event_types }: Subscription,
  about: TopBoard,
  entered: readonly EnteredMember[],
  left: readonly LeftMember[],
): Outgoing[] {
  const heard = <Member>(type: 'rank.entered' | 'rank.left', members: readonly Member[]) =>
    event_types.includes(type) ? pieces(members, MEMBERS_PER_MESSAGE) : []
  return [
    ...heard('rank.left', left).map(
      (members) => ({ endpointId, type: 'rank.left', data: { ...about, members } }) as const,
    ),
    ...heard('rank.entered', entered).map(
      (members) => ({ endpointId, type: 'rank.entered', data: { ...about, members } }) as const,
    ),
  ]
}

import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import { canonicalMember } from '../../addresses/addresses.ts'
import { SHORT_ID } from '../../addresses/short-id.ts'
import { route } from '../../api/route.ts'
import type { DB } from '../../database/tables.ts'
import { namesOf } from '../../ranking/boards.queries.ts'
import { findNames } from '../../search/search.queries.ts'
import type { Services } from '../../services.ts'
import { csvField, csvText } from '../../text/csv.ts'
import { participantDescriptions } from './participant-route-descriptions.ts'
import { findParticipantsByShortId, type ParticipantRow, selectParticipants } from './participants.queries.ts'

/** The maximum number of addresses whose names match a search. */
const MAX_NAMED = 1_000
/** Rows of a download that are read at once. */
const BATCH = 5_000

interface Participant {
  address: string
  name: string
  completedAt: string
  points: number | null
}

/** `/api/quests/:id/participants`: the members who completed a quest, for the editors of its space. */
export function registerParticipants(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, participantDescriptions.list, async ({ params: { id }, query }) => {
    const { first, after, search } = query
    const among = search === '' ? undefined : await matching(kysely, id.text, search)
    const found = await selectParticipants(kysely, id.text, { after, limit: first + 1, among })
    const shown = found.slice(0, first)
    return {
      items: await withNames(kysely, shown),
      next: found.length > first ? (shown.at(-1)?.address ?? null) : null,
      complete: among?.complete ?? true,
    }
  })

  route(scope, services, participantDescriptions.download, ({ params: { id }, reply }) =>
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="participants-${id.text}.csv"`)
      .send(Readable.from(csvOf(kysely, id.text))),
  )
}

/** The beginnings of addresses that a search matches, and the addresses whose name or short ID matches. */
async function matching(kysely: Kysely<DB>, questId: string, search: string) {
  const [named, coded] = await Promise.all([
    findNames(kysely, search, MAX_NAMED + 1),
    SHORT_ID.test(search) ? findParticipantsByShortId(kysely, questId, search.toLowerCase()) : undefined,
  ])
  const whole = canonicalMember(search)
  const addresses = [...named.slice(0, MAX_NAMED).map(({ address }) => address), ...(coded?.addresses ?? [])]
  if (whole !== undefined) addresses.push(whole)
  // Only Base58 has upper case. Stored handles have no @.
  const lower = search.replace(/^@\s*/, '').toLowerCase()
  const beginnings = [...new Set([search, lower])].filter((text) => text !== '')
  return { addresses, beginnings, complete: named.length <= MAX_NAMED && (coded?.complete ?? true) }
}

async function withNames(kysely: Kysely<DB>, rows: readonly ParticipantRow[]): Promise<Participant[]> {
  const addresses = rows.map(({ address }) => address)
  const names = await namesOf(kysely, addresses)
  return rows.map(({ address, joined_at, points, short_id }) => ({
    address,
    name: names.get(address)?.username || short_id,
    completedAt: joined_at.toISOString(),
    points,
  }))
}

/** Each batch is a separate query, so that a slow client holds no connection. */
async function* csvOf(kysely: Kysely<DB>, questId: string): AsyncGenerator<string> {
  yield 'address,name,completedAt,points\n'
  for (let after = ''; ;) {
    const rows = await selectParticipants(kysely, questId, { after, limit: BATCH })
    const lines = (await withNames(kysely, rows)).map(
      ({ address, name, completedAt, points }) =>
        `${csvText(address)},${csvText(name)},${completedAt},${csvField(points)}\n`,
    )
    if (lines.length > 0) yield lines.join('')
    if (rows.length < BATCH) return
    after = rows.at(-1)?.address ?? ''
  }
}

import type { Kysely } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import type { NewEntry } from './ledger-entries.queries.ts'

/** In a statement about the space $1: whether its rules need awards. */
export const RULES_NEED_AWARDS = `EXISTS (SELECT FROM space_rules WHERE space_id = $1 AND on_awards)`
/** In a statement about the space $1: whether its rules need claims. */
export const RULES_NEED_CLAIMS = `EXISTS (SELECT FROM space_rules WHERE space_id = $1 AND on_claims)`

const awards = preparedWrite(
  'rules.note-awards',
  `INSERT INTO rule_events (space_id, ref, kind, address, points, happened_at)
   SELECT v.space_id, v.version || '-' || e.position, 'award', e.address, e.points, $2::timestamptz
   FROM space_versions v CROSS JOIN unnest($3::int[], $4::text[], $5::int[]) AS e (position, address, points)
   WHERE v.space_id = $1`,
)

/** The sources of entries that are awards for rules. A claim is another event, and rules do not count points of rules. */
const isAward = ({ source }: NewEntry) => source === 'award' || source === 'import' || source === 'availability'

/**
 * Adds awards to the queue of events for the rules of a space, in the transaction that has just entered `entries`, at the
 * newest version. Points that are not available yet are an event when they become available.
 */
export async function noteAwards(
  trx: Kysely<DB>,
  spaceId: number,
  entries: readonly NewEntry[],
  now: Date,
): Promise<void> {
  const events = entries.flatMap((entry, index) => {
    const points = entry.overall ? entry.overall.after - (entry.overall.before ?? 0) : 0
    return points > 0 && isAward(entry) ? [{ position: index + 1, address: entry.address, points }] : []
  })
  if (events.length === 0) return
  await awards(trx, [
    spaceId,
    now,
    numberArray(events.map(({ position }) => position)),
    textArray(events.map(({ address }) => address)),
    numberArray(events.map(({ points }) => points)),
  ])
}

const claims = preparedWrite(
  'rules.note-claims',
  `INSERT INTO rule_events (space_id, ref, kind, address, points, quest_id, happened_at)
   SELECT v.space_id, e.ref, 'claim', e.address, e.points, e.quest_id, $2::timestamptz
   FROM space_versions v
   CROSS JOIN unnest($3::text[], $4::text[], $5::text[], $6::int[]) AS e (quest_id, ref, address, points)
   WHERE v.space_id = $1`,
)

/** Adds claims of quests to the queue of events. The caller has locked the space. */
export async function noteClaims(
  trx: Kysely<DB>,
  spaceId: number,
  quests: readonly { questId: string; completions: readonly { claim_id: string; address: string; points: number }[] }[],
  now: Date,
): Promise<void> {
  const events = quests.flatMap(({ questId, completions }) => completions.map((claim) => ({ questId, ...claim })))
  if (events.length === 0) return
  await claims(trx, [
    spaceId,
    now,
    textArray(events.map(({ questId }) => questId)),
    textArray(events.map(({ claim_id }) => claim_id)),
    textArray(events.map(({ address }) => address)),
    numberArray(events.map(({ points }) => points)),
  ])
}

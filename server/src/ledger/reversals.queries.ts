import { type Kysely, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import { DAY } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { idOf, type EntryPosition } from './entry.ts'
import type { LedgerSource } from '../ranking/ledger.ts'

/** An entry that may be reversed. */
export interface Target extends EntryPosition {
  enteredAt: Date
  key: string | null
  sprintId: number
  address: string
  source: LedgerSource
  pointsBefore: number | null
  pointsAfter: number | null
  sprintBefore: number | null
  sprintAfter: number | null
  /** The ID of the award that became available with this entry. */
  award: string | null
  pending: number | null
}

const columns = sql`
  version, position, entered_at AS "enteredAt", key, sprint_id AS "sprintId", address, source, points_before AS "pointsBefore",
  points_after AS "pointsAfter", sprint_before AS "sprintBefore", sprint_after AS "sprintAfter", award, pending`

const among = (places: readonly EntryPosition[]) => sql`
  (version, position) IN (SELECT * FROM unnest(
    ${numberArray(places.map(({ version }) => version))}::bigint[],
    ${numberArray(places.map(({ position }) => position))}::int[]))`

/** The entries with the given ids, and the newest entry with each given key. */
export async function findTargets(
  trx: Kysely<DB>,
  spaceId: number,
  { places, keys }: { places: readonly EntryPosition[]; keys: readonly string[] },
): Promise<Target[]> {
  const { rows } = await sql<Target>`
    (SELECT ${columns} FROM ledger_entries WHERE space_id = ${spaceId} AND ${among(places)})
    UNION
    (SELECT DISTINCT ON (key) ${columns} FROM ledger_entries
     WHERE space_id = ${spaceId} AND key = ANY(${textArray(keys)}::text[]) ORDER BY key, version DESC, position DESC)
  `.execute(trx)
  return rows
}

/** The entry that took the points of another entry back. */
export interface TakenBack extends EntryPosition {
  source: 'reversal' | 'expiry'
}

/** Later changes that concern entries. */
export interface Aftermath {
  /** How the points of entries were taken back, by ID of the entry. */
  takenBack: ReadonlyMap<string, TakenBack>
  /** The entries with which awards became available, by ID of the award. */
  madeAvailable: ReadonlyMap<string, Target>
  /** Whether the sprint of an entry has been deleted. */
  lostSprint(target: Target): boolean
  /** Whether the points of an award are not available yet. */
  isPending(target: Target): boolean
}

type Removal = Pick<Target, 'address' | 'sprintId' | 'version'>

export async function readAftermath(trx: Kysely<DB>, spaceId: number, targets: readonly Target[]): Promise<Aftermath> {
  const taken = await sql<TakenBack & { reverses: string }>`
    SELECT reverses, source, version, position FROM ledger_entries
    WHERE space_id = ${spaceId} AND reverses = ANY(${textArray(targets.map(idOf))}::text[])`.execute(trx)
  const available = await readMadeAvailable(trx, spaceId, targets)
  const removals = await readRemovals(trx, spaceId, targets)
  const scheduled = await sql<EntryPosition>`
    SELECT version, position FROM timed_awards WHERE space_id = ${spaceId} AND NOT available AND ${among(targets)}
  `.execute(trx)
  const pending = new Set(scheduled.rows.map(idOf))
  return {
    takenBack: new Map(taken.rows.map((entry) => [entry.reverses, entry])),
    madeAvailable: new Map(available.flatMap((entry) => (entry.award === null ? [] : [[entry.award, entry] as const]))),
    lostSprint: ({ address, sprintId, version }) =>
      removals.some((gone) => gone.address === address && gone.sprintId === sprintId && gone.version > version),
    isPending: (target) => pending.has(idOf(target)),
  }
}

/** Later entries are in partitions since then. A later entry can have a time that is somewhat earlier. */
const sinceTime = (targets: readonly Target[]) =>
  new Date(Math.min(...targets.map(({ enteredAt }) => enteredAt.getTime())) - DAY)

/** The entries with which awards became available. */
async function readMadeAvailable(trx: Kysely<DB>, spaceId: number, targets: readonly Target[]): Promise<Target[]> {
  const awards = targets.filter(({ pending }) => pending !== null)
  if (awards.length === 0) return []
  const { rows } = await sql<Target>`
    SELECT ${columns} FROM ledger_entries
    WHERE space_id = ${spaceId} AND award = ANY(${textArray(awards.map(idOf))}::text[])
      AND entered_at >= ${sinceTime(awards)}`.execute(trx)
  return rows
}

/** The newest deletion of each sprint with entries of the members. */
async function readRemovals(trx: Kysely<DB>, spaceId: number, targets: readonly Target[]): Promise<Removal[]> {
  const inSprints = targets.filter(({ sprintId }) => sprintId !== 0)
  if (inSprints.length === 0) return []
  const addresses = [...new Set(inSprints.map(({ address }) => address))]
  const sprintIds = [...new Set(inSprints.map(({ sprintId }) => sprintId))]
  const { rows } = await sql<Removal>`
    SELECT address, sprint_id AS "sprintId", max(version) AS version FROM ledger_entries
    WHERE space_id = ${spaceId} AND address = ANY(${textArray(addresses)}::text[])
      AND sprint_id = ANY(${numberArray(sprintIds)}::int[]) AND source = 'removal'
      AND entered_at >= ${sinceTime(inSprints)}
    GROUP BY address, sprint_id`.execute(trx)
  return rows
}

import type { Reader } from '@questboard/pg-read-pipeline'
import { type ListedQuestRow, type QuestFilter, readListed, readStarting } from './quest.queries.ts'

/** A position in the order OPEN_FIRST: a part of the list, then time and id in the order of this part. */
export interface OpenFirstPosition {
  part: number
  /** Milliseconds since 1970; null for a quest that has not started and has no start. */
  time: number | null
  id: string
}

export interface PlacedQuestRow extends ListedQuestRow {
  position: OpenFirstPosition
}

/** The parts of the list. Cursors contain their indexes. */
const PARTS = [
  { statuses: ['Active'], isByStart: false },
  { statuses: ['NotStarted'], isByStart: true },
  { statuses: ['CapReached', 'Expired'], isByStart: false },
] as const

/** Listed quests after a position: active ones, those that start first, and the others; newest first where no start counts. */
export async function readOpenFirst(
  reader: Reader,
  version: number,
  filter: QuestFilter,
  after: OpenFirstPosition | undefined,
  limit: number,
): Promise<PlacedQuestRow[]> {
  const found: PlacedQuestRow[] = []
  for (const [part, { statuses, isByStart }] of PARTS.entries()) {
    const wanted = statuses.filter((status) => filter.statuses.length === 0 || filter.statuses.includes(status))
    if (wanted.length === 0 || found.length === limit || (after && part < after.part)) continue
    const ofPart = { ...filter, statuses: wanted }
    const from = after?.part === part ? after : undefined
    const rest = limit - found.length
    if (isByStart) {
      const startsAfter = from && { startsAt: from.time, id: from.id }
      for (const row of await readStarting(reader, version, ofPart, startsAfter, rest))
        found.push({ ...row, position: { part, time: row.starts_at?.getTime() ?? null, id: row.id } })
    } else {
      const createdBefore = from && { createdAt: from.time ?? 0, id: from.id }
      for (const row of await readListed(reader, version, ofPart, createdBefore, rest))
        found.push({ ...row, position: { part, time: row.created_at.getTime(), id: row.id } })
    }
  }
  return found
}

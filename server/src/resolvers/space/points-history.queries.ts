import { type Fields, type Reader, statement } from '@questboard/pg-read-pipeline'
import { accountMayText } from '../../teams/roles.queries.ts'

/** A change of a member's points on one board. */
export interface HistoryRow {
  version: number
  position: number
  time: Date
  /** Null if the change is not in a sprint. */
  sprintId: number | null
  /** Null if the member was not, or is not on the board. */
  before: number | null
  balance: number | null
  /** Null unless the reader's account manages the space. */
  source: string | null
  reason: string | null
  key: string | null
}

const numberIn = (field: string | null | undefined) => (field === null || field === undefined ? null : Number(field))

const historyOf = (fields: Fields): HistoryRow => ({
  version: Number(fields[0]),
  position: Number(fields[1]),
  time: new Date(Number(fields[2])),
  sprintId: numberIn(fields[3]),
  before: numberIn(fields[4]),
  balance: numberIn(fields[5]),
  source: fields[6] ?? null,
  reason: fields[7] ?? null,
  key: fields[8] ?? null,
})

/** The entries of one board next to a place. An award in a sprint is an entry of two boards. */
const entries = (name: string, board: 'points' | 'sprint', beyond: '<' | '>') => {
  const order = beyond === '<' ? 'DESC' : 'ASC'
  return statement<HistoryRow>(
    name,
    `SELECT e.version, e.position, floor(extract(epoch FROM e.entered_at) * 1000), nullif(e.sprint_id, 0),
            e.${board}_before, e.${board}_after,
            CASE WHEN r.manages THEN e.source END, CASE WHEN r.manages THEN e.reason END,
            CASE WHEN r.manages THEN e.key END
     FROM ledger_entries e
     CROSS JOIN (SELECT ${accountMayText('manage', 's', '$3::uuid')} AS manages FROM spaces s WHERE s.space_id = $1) r
     WHERE e.space_id = $1 AND e.address = $2 ${board === 'sprint' ? 'AND e.sprint_id = $7' : ''}
       AND (e.${board}_before IS NOT NULL OR e.${board}_after IS NOT NULL)
       AND (e.version, e.position) ${beyond} ($4, $5)
     ORDER BY e.version ${order}, e.position ${order} LIMIT $6`,
    historyOf,
  )
}

const ofBoard = {
  older: entries('space.history', 'points', '<'),
  newer: entries('space.history-before', 'points', '>'),
}
const ofSprint = {
  older: entries('space.sprint-history', 'sprint', '<'),
  newer: entries('space.sprint-history-before', 'sprint', '>'),
}

export interface HistoryPosition {
  version: number
  position: number
}

/** A place before all entries. */
export const NEWEST: HistoryPosition = { version: Number.MAX_SAFE_INTEGER, position: 0 }

export interface HistoryOf {
  spaceId: number
  /** 0 for the overall board. */
  sprintId: number
  address: string
  /** The account that reads. */
  accountId: string
}

/** The entries of a member that are older or newer than a place, nearest first. */
export async function readHistory(
  reader: Reader,
  { spaceId, sprintId, address, accountId }: HistoryOf,
  way: 'older' | 'newer',
  { version, position }: HistoryPosition,
  limit: number,
): Promise<HistoryRow[]> {
  const values = [spaceId, address, accountId, version, position, limit]
  return sprintId === 0 ? reader.read(ofBoard[way], values) : reader.read(ofSprint[way], [...values, sprintId])
}

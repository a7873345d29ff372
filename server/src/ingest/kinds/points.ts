import { canonicalMember } from '../../addresses/addresses.ts'
import { MIN_POINTS, MAX_POINTS } from '../../ranking/boards.ts'
import { setTotals } from '../../ranking/boards-import.ts'
import { newTotals } from '../../ranking/boards-import.queries.ts'
import { updateChangedProfiles } from '../../ranking/profile-changes.ts'
import { count, integer, optional, positive, shaped, text } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { STAGED } from '../staging.queries.ts'
import { dropNamesOfOthers, readEffects } from './points.queries.ts'
import { spaceMustExist, sprintMustExist } from './rules.queries.ts'

const MAX_ADDRESS_BYTES = 90

/** A member of a board: an address of any chain, or a name. Limited in bytes, because it must fit into a cursor. */
const member = (column: string) =>
  shaped(
    column,
    `an address or name of 1 to ${MAX_ADDRESS_BYTES} bytes, without control characters`,
    'member',
    (value) => {
      const address = canonicalMember(value)
      return address !== undefined && Buffer.byteLength(address) <= MAX_ADDRESS_BYTES ? address : undefined
    },
  )

/** The fields that points and awards share. */
export const boardEntryFields = {
  spaceId: positive('space_id'),
  sprintId: count('sprint_id', { fallback: '0' }),
  address: member('address'),
  points: integer('points', MIN_POINTS, MAX_POINTS),
}

export const points: Kind = {
  fields: {
    ...boardEntryFields,
    username: text('username', 100, optional),
    avatar: text('avatar', 500, optional),
  },
  key: { field: 'address', columns: ['space_id', 'sprint_id', 'address'] },
  rules: [spaceMustExist('spaceId', 'space_id'), sprintMustExist],
  tables: ['board_entries', 'profiles'],
  news: (staging) => newTotals(staging, STAGED),
  merge: (trx, { clock, staging, step, actor }) => setTotals(trx, staging, STAGED, clock, { step, actor }),
  effects: readEffects,
  afterCommit: (kysely, clock) => updateChangedProfiles(kysely, clock, 'all'),
}

/** Points from a sender with access to these spaces only: names are accepted only for members unknown elsewhere. */
export const pointsWithin = (spaceIds: readonly number[]): Kind => ({
  ...points,
  beforeMerge: (trx) => dropNamesOfOthers(trx, spaceIds),
})

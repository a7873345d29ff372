import { COPY_NULL, textOfCopy } from '../../database/copy.ts'
import { AWARD_KEY_RETENTION } from '../../lifetimes.ts'
import { applyEvents } from '../../ranking/awards.ts'
import { recordVersions } from '../../ranking/boards.ts'
import { updateChangedProfiles } from '../../ranking/profile-changes.ts'
import { fault } from '../../texts/faults.ts'
import { isEmpty, refusalOf } from '../check.ts'
import { type Field, optional, shaped, text, time } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { ImportRefusedError, type Problem, Problems, quoteValue } from '../problems.ts'
import { findReversedKeys, type SpaceAward, stagedAwards } from './awards.queries.ts'
import { boardEntryFields } from './points.ts'
import { readEffects } from './points.queries.ts'
import { expiresAfter, spaceMustExist, sprintMustExist } from './rules.queries.ts'

const MAX_KEY_LENGTH = 200

/** Points, positive or negative, for a member of a space: overall, and in a sprint if one is named. */
export const awardFields = {
  key: shaped('key', `text of 1 to ${MAX_KEY_LENGTH} characters, without control characters`, 'key', (key) =>
    /^[^\p{Cc}]{1,200}$/u.test(key) ? key : undefined,
  ),
  ...boardEntryFields,
  reason: text('reason', 500, optional),
  availableAt: time('available_at', optional),
  expiresAt: time('expires_at', optional),
}

const EXPIRES_EARLY = 'must be after availableAt'

/** Awards per statement. */
const TOGETHER = 5_000

/** Awards of a file. An award whose key was already used for an equal award changes nothing. */
export const awards: Kind = {
  fields: awardFields,
  key: undefined,
  rules: [spaceMustExist('spaceId', 'space_id'), sprintMustExist, expiresAfter(EXPIRES_EARLY)],
  tables: ['board_entries', 'ledger_entries'],
  async merge(trx, { clock, now, actor }) {
    const problems = new Problems()
    let added = 0
    let takenBack = 0
    let banned = 0
    const since = new Date(now.getTime() - AWARD_KEY_RETENTION)
    const spaces = new Set<number>()
    for (let after = { spaceId: 0, line: 0 }; ;) {
      const staged = await stagedAwards(trx, after, TOGETHER)
      const last = staged.at(-1)
      if (last === undefined) break
      const awards = staged.map((award) => ({ ...award, actor }))
      for (const [spaceId, events] of Map.groupBy(awards, (award) => award.spaceId)) {
        const { outcomes } = await applyEvents(trx, spaceId, events, clock, { moreVersions: true })
        if (outcomes.some(({ status }) => status === 'applied')) spaces.add(spaceId)
        outcomes.forEach((outcome, i) => {
          if (outcome.status === 'applied') added++
          if (outcome.status === 'applied' && outcome.banned) banned++
          const line = events[i]?.line ?? 0
          if (outcome.status === 'refused') {
            const { field, reason, fault } = outcome
            problems.add({ line, field, reason, fault })
          }
        })
        const known = events.filter((_, i) => outcomes[i]?.status === 'duplicate').map(({ key }) => key)
        if (known.length === 0) continue
        const reversed = await findReversedKeys(trx, spaceId, known, since)
        takenBack += known.filter((key) => reversed.has(key)).length
      }
      after = last
    }
    if (problems.count > 0) throw new ImportRefusedError(problems.first, problems.count)
    await recordVersions(trx, [...spaces], clock)
    return { added, changed: 0, takenBack, banned }
  },
  effects: readEffects,
  afterCommit: (kysely, clock) => updateChangedProfiles(kysely, clock, 'all'),
}

type AwardField = keyof typeof awardFields
type Texts = Record<AwardField, string>

const names = Object.keys(awardFields) as AwardField[]
const namesInSpace = names.filter((name) => name !== 'spaceId')
const namesWithoutKey = namesInSpace.filter((name) => name !== 'key')

/** Validates one award. @returns the award or its problem; `line` is returned unchanged */
export function readAward(record: unknown, line: number): SpaceAward | Problem {
  const read = readRecord(record, line, { allowed: names })
  if (!('texts' in read)) return read
  const { texts, ...award } = read
  return { key: textOfCopy(texts.key), spaceId: Number(texts.spaceId), ...award }
}

/** An award whose space the path of the request names. If the key is undefined, the service creates one. */
export type AwardInSpace = Omit<SpaceAward, 'spaceId' | 'key'> & { key: string | undefined }

/** Validates an award whose space the path of the request names. @returns the award or its problem */
export function readAwardInSpace(record: object): AwardInSpace | Problem {
  const hasKey = 'key' in record
  const fields = hasKey ? namesInSpace : namesWithoutKey
  const read = readRecord(record, 0, { allowed: namesInSpace, fields })
  if (!('texts' in read)) return read
  const { texts, ...award } = read
  return { key: hasKey ? textOfCopy(texts.key) : undefined, ...award }
}

interface ReadFields {
  /** The fields that the record can have. */
  allowed: readonly AwardField[]
  /** The fields that are read. Default: all that are allowed. */
  fields?: readonly AwardField[]
}

/** Reads the fields of a record. `texts` are in the format of COPY. */
function readRecord(
  record: unknown,
  line: number,
  { allowed, fields = allowed }: ReadFields,
): (Omit<SpaceAward, 'spaceId' | 'key'> & { texts: Texts }) | Problem {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return {
      line,
      reason: `${quoteValue(record)} is not an object with the fields ${allowed.join(', ')}`,
      fault: fault('wrong_type', { expected: 'object' }),
    }
  for (const field in record)
    if (!allowed.includes(field as AwardField)) {
      const reason = `is not a field of an award; allowed: ${allowed.join(', ')}`
      return { line, field, reason, fault: fault('not_a_column', { allowed }) }
    }
  const read: Partial<Texts> = {}
  for (const field of fields) {
    const value = (record as Record<string, unknown>)[field]
    const spec: Field = awardFields[field]
    const stored = isEmpty(value) ? (spec.fallback as string | undefined) : spec.read(value)
    if (stored === undefined) return { line, field, ...refusalOf(spec, value) }
    read[field] = stored
  }
  const texts = read as Texts
  const { sprintId, address, points, reason } = texts
  const [availableAt, expiresAt] = [timeOf(texts.availableAt), timeOf(texts.expiresAt)]
  if (availableAt && expiresAt && expiresAt <= availableAt)
    return { line, field: 'expiresAt', reason: EXPIRES_EARLY, fault: fault('not_after_start') }
  return {
    sprintId: Number(sprintId),
    address: textOfCopy(address),
    points: Number(points),
    reason: reason === COPY_NULL ? undefined : textOfCopy(reason),
    availableAt,
    expiresAt,
    texts,
  }
}

const timeOf = (stored: string): Date | undefined => (stored === COPY_NULL ? undefined : new Date(stored))

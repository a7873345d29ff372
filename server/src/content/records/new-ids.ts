import type { Transaction } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { nextId } from '../../objects/ids.queries.ts'
import type { Random } from '../../random.ts'
import type { ContentKind, ContentRecord } from './content-kinds.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM_PART = 8
const MIN_CREDENTIAL_ID = 10n ** 17n
const MAX_CREDENTIAL_ID = 10n ** 18n

/** The record with an id, if it has none. */
export async function withId(
  trx: Transaction<DB>,
  random: Random,
  kind: ContentKind,
  record: ContentRecord,
): Promise<ContentRecord> {
  const field = kind.key.at(-1) as string
  const given = record[field]
  return given === undefined || given === null || given === ''
    ? { ...record, [field]: await newId(trx, random, kind, record) }
    : record
}

async function newId(trx: Transaction<DB>, random: Random, kind: ContentKind, record: ContentRecord): Promise<unknown> {
  switch (kind.name) {
    case 'space':
      return nextId(trx, 'spaces')
    case 'sprint':
      return nextId(trx, { spaceId: Number(record.spaceId) })
    case 'credential':
      return randomDigits(random)
    case 'quest':
      return `GC${randomLetters(random)}`
    case 'starboard':
      return `SB${randomLetters(random)}`
  }
}

/** Letters and digits of equal probability. */
function randomLetters(random: Random): string {
  let text = ''
  while (text.length < RANDOM_PART)
    for (const byte of random.bytes(RANDOM_PART))
      if (byte < 4 * LETTERS.length && text.length < RANDOM_PART) text += LETTERS[byte % LETTERS.length]
  return text
}

/** 18 digits, like the ids that other platforms generate. */
function randomDigits(random: Random): string {
  const value = random.bytes(16).readBigUInt64BE()
  return String(MIN_CREDENTIAL_ID + (value % (MAX_CREDENTIAL_ID - MIN_CREDENTIAL_ID)))
}

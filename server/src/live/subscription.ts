import { canonicalMember } from '../addresses/addresses.ts'
import { invalidArgument, spaceNotFound, starboardNotFound } from '../errors.ts'
import { isIdentifier } from '../resolvers/identifiers.ts'
import { DEFAULT_FIRST, MAX_FIRST } from './limits.ts'

/** A board that streams follow. */
export type BoardName = { kind: 'space'; id: number; sprintId: number | undefined } | { kind: 'starboard'; id: string }

/** The part of a board that a stream follows. */
export interface Subscription {
  /** The number of first places; undefined if the stream follows one member only. */
  first: number | undefined
  /** In canonical form. */
  member: string | undefined
}

type Query = Record<string, unknown>

const MAX_ID = 2_147_483_647
const MAX_MEMBER_BYTES = 90

/** @throws INVALID_ARGUMENT, Space not found */
export function readSpaceName(id: string, { sprintId }: Query): BoardName {
  const spaceId = parsePositiveInteger(id, MAX_ID)
  if (spaceId === undefined) throw spaceNotFound()
  return { kind: 'space', id: spaceId, sprintId: readNumber('sprintId', sprintId, MAX_ID) }
}

/** @throws Starboard not found */
export function readStarboardName(id: string): BoardName {
  if (!isIdentifier(id)) throw starboardNotFound()
  return { kind: 'starboard', id }
}

/** @throws INVALID_ARGUMENT */
export function readSubscription(kind: BoardName['kind'], query: Query): Subscription {
  const first = readNumber('first', query.first, MAX_FIRST)
  const member = readMember(kind, query.member)
  return { first: first ?? (member === undefined ? DEFAULT_FIRST : undefined), member }
}

/** The version in `Last-Event-ID`; undefined if it is missing or not a version of this service. */
export function readLastVersion(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}

function readMember(kind: BoardName['kind'], given: unknown): string | undefined {
  if (given === undefined) return undefined
  const text = typeof given === 'string' ? given.trim() : ''
  const member = kind === 'space' ? canonicalMember(text) : text.replace(/^@/, '').toLowerCase()
  if (!member || Buffer.byteLength(member) > MAX_MEMBER_BYTES)
    throw invalidArgument(
      'Invalid member',
      `allowed: ${kind === 'space' ? 'an address or name' : 'a handle'} of 1 to ${MAX_MEMBER_BYTES} bytes, once`,
    )
  return member
}

function readNumber(name: string, given: unknown, max: number): number | undefined {
  if (given === undefined) return undefined
  const number = parsePositiveInteger(given, max)
  if (number === undefined) throw invalidArgument(`Invalid ${name}`, `allowed: a whole number from 1 to ${max}, once`)
  return number
}

function parsePositiveInteger(given: unknown, max: number): number | undefined {
  const number = typeof given === 'string' && /^[1-9]\d{0,9}$/.test(given) ? Number(given) : Number.NaN
  return number <= max ? number : undefined
}

import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import type { RouteDescription } from '../../api/route-description.ts'
import { characters } from '../../text/characters.ts'
import { notAnObject, readCount, readTextParameter } from '../../api/read-body.ts'
import { invalidField, unknownPage } from '../../errors.ts'
import { awardFields, type AwardInSpace, readAwardInSpace } from '../../ingest/kinds/awards.ts'
import { readEntryId, shownEntryShape } from '../../ledger/entry.ts'
import { filterParameters, readFilter } from '../../ledger/filter.ts'
import { managedSpace, missingRights } from '../../teams/permissions.ts'
import { fault } from '../../texts/faults.ts'
import { documented } from '../request-shapes.ts'
import { spaceId } from './space-route-descriptions.ts'

const tag = 'Content'
const PAGE_SIZE = 50
/** The maximum length of an address of a member, which is longer than that of a name. */
const MAX_NAME = 320
const MAX_PAGE_SIZE = 200
const time = z.iso.datetime({ offset: true })
const reason = characters(1, 500).describe('A text for people, in the ledger')

const { address: member, points, sprintId: sprint, key, availableAt, expiresAt, reason: text } = awardFields

const awardShape = z.strictObject({
  address: documented(member),
  points: documented(points, 'Not 0'),
  sprintId: documented(sprint, 'Default: only the overall board').optional(),
  reason: documented(text, 'For people, in the ledger; not empty'),
  key: documented(
    key,
    'The award counts once per key; send it to repeat a request safely. Default: a new key',
  ).optional(),
  availableAt: documented(availableAt, 'The points count from this time on').optional(),
  expiresAt: documented(expiresAt, 'The points count until this time').optional(),
})

/** Reads an award of a person. @throws ApiError that names the field */
function readAward(body: unknown): AwardInSpace {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notAnObject()
  if ('spaceId' in body) throw invalidField('spaceId', 'is part of the path', fault('unknown_field'))
  const award = readAwardInSpace(body)
  if (!('points' in award)) throw invalidField(award.field ?? 'body', award.reason, award.fault)
  if (award.points === 0) throw invalidField('points', 'must not be 0', fault('not_allowed'))
  if (award.reason === undefined)
    throw invalidField('reason', 'is missing; allowed: text of 1 to 500 characters', fault('missing'))
  return award
}

const reversalShape = z.strictObject({
  entry: z
    .string()
    .regex(pattern('entry_id', /^\d{1,15}-\d{1,10}$/), 'must be the id of an entry, such as 12-3')
    .describe('The id of an entry')
    .optional(),
  key: characters(1, 200).describe('The key of an award, instead of `entry`').optional(),
  reason,
})

const { address, sprintId, source, from, to } = filterParameters
const filter = {
  address: { description: address, shape: z.string() },
  sprintId: { description: sprintId, shape: z.int().min(0) },
  source: { description: source, shape: z.string() },
  from: { description: from, shape: time },
  to: { description: to, shape: time },
}

function readPosition(value: unknown) {
  if (value === undefined) return undefined
  const place = typeof value === 'string' ? readEntryId(value) : undefined
  if (!place) throw unknownPage('after')
  return place
}

const memberShape = z.strictObject({
  address: z.string(),
  username: z.string().describe('The shown name; empty if the member has no name'),
  points: z.int().describe('On the overall board; of a banned member, those that return when the ban ends'),
})

const readName = (field: string, value: unknown): string =>
  readTextParameter(field, typeof value === 'string' ? value.trim() : value, 1, MAX_NAME)

/** The points of a space, for its owner, its admins and operators. */
export const pointDescriptions = {
  members: {
    method: 'GET',
    path: '/api/spaces/:id/members',
    who: 'account',
    summary: 'Find the members of a space by exact name or address',
    description: 'Names of members are not unique. Use it to find the `address` for an award.',
    tag,
    params: { id: spaceId },
    resource: managedSpace,
    missingRight: missingRights.manage,
    query: { name: { description: 'A shown name in upper or lower case, or an address', shape: z.string() } },
    readQuery: ({ name }) => ({ name: readName('name', name) }),
    answer: {
      description: 'Most points first.',
      shape: z.strictObject({
        list: z.array(memberShape),
        complete: z.boolean().describe('False if more members can have this name'),
      }),
    },
  },
  list: {
    method: 'GET',
    path: '/api/spaces/:id/ledger',
    who: 'account',
    summary: 'List the entries of the ledger of a space',
    tag,
    params: { id: spaceId },
    resource: managedSpace,
    missingRight: missingRights.manage,
    query: {
      ...filter,
      member: {
        description: 'only entries of the members with this name in upper or lower case, this address or this short ID',
        shape: z.string(),
      },
      first: { description: `page size; default ${PAGE_SIZE}`, shape: z.int().min(1).max(MAX_PAGE_SIZE) },
      after: { description: 'the `next` of the previous page', shape: z.string() },
    },
    readQuery: ({ first, after, member, ...filter }) => ({
      member: member === undefined ? undefined : readName('member', member),
      filter: readFilter(filter),
      first: readCount('first', first, MAX_PAGE_SIZE, PAGE_SIZE),
      before: readPosition(after),
    }),
    answer: {
      description: 'Newest first. A page may be shorter than `first` while `next` is not null.',
      shape: z.strictObject({
        list: z.array(shownEntryShape),
        next: z.string().nullable().describe('The `after` of the next page'),
      }),
    },
  },
  award: {
    method: 'POST',
    path: '/api/spaces/:id/awards',
    who: 'account',
    recentSignIn: true,
    summary: 'Award points to a member, or subtract them',
    tag,
    params: { id: spaceId },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: { shape: awardShape, read: readAward },
    answer: {
      description: 'The points are stored.',
      shape: z.strictObject({
        status: z.enum(['applied', 'duplicate']).describe('`duplicate`: an award with this key already counted'),
        key: z.string(),
        banned: z
          .literal(true)
          .optional()
          .describe(
            'For points that would count now: the member is banned. The points are stored, and count when the ban ends.',
          ),
      }),
    },
    errors: { 409: 'The key was used for another award.' },
  },
  reverse: {
    method: 'POST',
    path: '/api/spaces/:id/reversals',
    who: 'account',
    recentSignIn: true,
    summary: 'Reverse an entry of the ledger',
    description: 'Takes back the whole award with a new entry. A second reversal changes nothing.',
    tag,
    params: { id: spaceId },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: reversalShape,
    answer: {
      description: 'The entry is reversed.',
      shape: z.strictObject({
        status: z.enum(['applied', 'duplicate']).describe('`duplicate`: the entry was already reversed'),
        entry: z.string().nullable().describe('The id of the new entry; null for a duplicate'),
      }),
    },
    errors: { 409: 'The entry cannot be reversed; the message has the reason.' },
  },
} as const satisfies Record<string, RouteDescription>

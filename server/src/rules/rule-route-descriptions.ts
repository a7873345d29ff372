import { z } from 'zod'
import { time, uuid } from '../api/response-shapes.ts'
import { schemaOf } from '../api/json-schema.ts'
import { wholeBody } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { invalidField, notFound } from '../errors.ts'
import { ruleDocument } from './rule-kinds.ts'
import { managedSpace, missingRights, visibleSpace } from '../teams/permissions.ts'
import { fault } from '../texts/faults.ts'

const tag = 'Content'
const MAX_ID = 2_147_483_647

function readSpaceId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > MAX_ID) throw notFound('Space')
  return Number(text)
}

const readVersion =
  (field: string) =>
  (query: Record<string, unknown>): number | undefined => {
    const version = query[field]
    if (version === undefined) return undefined
    if (typeof version !== 'string' || !/^[1-9]\d{0,8}$/.test(version))
      throw invalidField(field, 'must be a version of the rules', fault('wrong_type', { expected: 'whole_number' }))
    return Number(version)
  }

const id = { description: 'of the space', read: readSpaceId }
const rulesField = z.array(z.unknown()).meta({ ...rulesSchema().properties.rules })

export function rulesSchema(): { properties: Record<string, object>; [key: string]: unknown } {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Rules of a space',
    ...schemaOf(ruleDocument),
  } as never
}

const ruleSetShape = z.strictObject({
  spaceId: z.int(),
  version: z.int(),
  createdAt: time,
  createdBy: uuid.nullable().describe('The account; null if a command created the version'),
  rules: rulesField,
})

const versionsShape = z.strictObject({
  versions: z.array(
    z.strictObject({
      version: z.int(),
      createdAt: time,
      createdBy: z
        .strictObject({ id: uuid, username: z.string().nullable().describe('null if the account was deleted') })
        .nullable()
        .describe('null if a command created the version'),
      rules: z.int().describe('The number of rules'),
    }),
  ),
  next: z.int().nullable().describe('`before` of the next page; null at the end'),
})

const change = {
  before: z.int().describe('Points that rules gave'),
  after: z.int().describe('Points that they would give'),
}
const differencesShape = z.strictObject({
  since: time,
  events: z.int().describe('Claims, awards, referrals and logs that were counted'),
  rules: z.array(z.strictObject({ id: z.string(), ...change })),
  members: z.int().describe('Members whose points differ'),
  differences: z
    .array(z.strictObject({ address: z.string(), ...change, difference: z.int() }))
    .describe('The 100 largest differences'),
})

const SINCE = 'must be a time such as 2026-11-01T00:00:00Z'
export const replayShape = z.strictObject({
  version: z.int().min(1).describe('The current version, so that no other one is replayed'),
  since: z.iso
    .datetime({ offset: true, error: SINCE })
    .optional()
    .describe('Events from this time on; at the latest, and by default, the time of the first version'),
})

const VERSION = 'must be a version of the rules, or 0'
const baseVersion = z
  .int(VERSION)
  .min(0, VERSION)
  .optional()
  .describe('The version that the change is based on; 0: the space has no rules yet')

export const ruleDescriptions = {
  schema: {
    method: 'GET',
    path: '/api/rules.schema.json',
    who: 'anyone',
    summary: 'Get the JSON Schema of rules',
    tag,
    answer: {
      description: 'JSON Schema 2020-12.',
      content: { 'application/schema+json': { schema: { type: 'object' } } },
    },
  },
  rules: {
    method: 'GET',
    path: '/api/spaces/:id/rules',
    who: 'account',
    summary: 'Get the rules of a space',
    description: 'For the team of the space.',
    tag,
    params: { id },
    resource: visibleSpace,
    missingRight: missingRights.view,
    query: { version: { description: 'default: the current one', shape: z.int() } },
    readQuery: readVersion('version'),
    answer: { description: 'A version.', shape: ruleSetShape },
    errors: { 404: 'The space does not exist, or has no such version.' },
  },
  versions: {
    method: 'GET',
    path: '/api/spaces/:id/rules/versions',
    who: 'account',
    summary: 'List the versions of the rules of a space',
    description: 'For the team of the space. The newest first, 50 at a time.',
    tag,
    params: { id },
    resource: visibleSpace,
    missingRight: missingRights.view,
    query: { before: { description: 'only versions before this one', shape: z.int() } },
    readQuery: readVersion('before'),
    answer: { description: 'The versions.', shape: versionsShape },
  },
  set: {
    method: 'PUT',
    path: '/api/spaces/:id/rules',
    who: 'account',
    recentSignIn: true,
    summary: 'Set the rules of a space',
    description:
      'For admins and the owner. Stores the next version. Events from now on count by it; [GET /api/rules.schema.json] describes `rules`.',
    tag,
    params: { id },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: wholeBody(ruleDocument.safeExtend({ version: baseVersion })),
    answer: { description: 'The version. Equal rules do not create a version.', shape: ruleSetShape },
    errors: { 409: 'The rules have another version.' },
  },
  dryRun: {
    method: 'POST',
    path: '/api/spaces/:id/rules/dry-run',
    who: 'account',
    summary: 'Compare rules with the points of the past',
    description: 'For admins and the owner. Counts at most 200,000 events; the command has no limit.',
    tag,
    params: { id },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: wholeBody(ruleDocument.safeExtend({ since: replayShape.shape.since })),
    answer: { description: 'The differences. Nothing is stored.', shape: differencesShape },
    errors: { 409: 'There are too many events.' },
  },
  replay: {
    method: 'POST',
    path: '/api/spaces/:id/rules/replay',
    who: 'account',
    recentSignIn: true,
    summary: 'Count past events again with the current rules',
    description:
      'For admins and the owner. Reverses points that the rules would not have given, and gives those that are missing, in one transaction. Counts at most 200,000 events; the command has no limit.',
    tag,
    params: { id },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: replayShape,
    answer: { description: 'The differences, which are stored.', shape: differencesShape },
    errors: { 409: 'The rules have another version, there are too many events, or a total would leave its range.' },
  },
} as const satisfies Record<string, RouteDescription>

import { z } from 'zod'
import { time, uuid } from '../api/response-shapes.ts'
import { effectiveRoleShape } from '../teams/permissions.ts'

// Response shapes of single objects: editable fields, read-only fields and the version.

const versionShape = z.string().describe('Send it with a change. Each change creates a new version')

export const accountShape = z.strictObject({ id: uuid, username: z.string() })

export const spaceShape = z.strictObject({
  spaceId: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  slug: z.string().nullable().describe('The public page is at /s/{slug}; null if the space has no public page'),
  logo: z
    .string()
    .nullable()
    .describe('The path of the logo, which changes with the image; null if the space has none'),
  owner: accountShape.nullable(),
  standing: effectiveRoleShape,
  createdAt: time,
  version: versionShape,
})

export const sprintShape = z.strictObject({
  spaceId: z.int(),
  sprintId: z.int(),
  name: z.string(),
  startTime: time.nullable(),
  endTime: time.nullable(),
  version: versionShape,
})

export const starboardShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  projectName: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  type: z.string(),
  rewardName: z.string().nullable(),
  rewardDescription: z.string().nullable(),
  rewardStartTime: time.nullable(),
  rewardEndTime: time.nullable(),
  version: versionShape,
})

export const credentialShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  credType: z.string(),
  credSource: z.string(),
  chain: z.string().nullable(),
  referenceLink: z.string(),
  curatorSpaceId: z.int().nullable(),
  syncStatus: z.string(),
  lastUpdate: time,
  lastSync: time,
  itemCount: z.int().describe('The number of holders'),
  sourceKind: z.string().nullable().describe('The kind of the source; null if the credential has no source'),
  version: versionShape,
})

const groupShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  conditionRelation: z.enum(['ALL', 'ANY']),
  conditions: z.array(z.strictObject({ expression: z.string(), credentialId: z.string() })),
  rewards: z.array(z.strictObject({ expression: z.string(), rewardType: z.string(), rewardCount: z.int() })),
})

export const questShape = z.strictObject({
  id: z.string(),
  spaceId: z.int(),
  name: z.string(),
  description: z.string(),
  type: z.string(),
  status: z.string(),
  autoStatus: z.boolean().describe('Whether the service sets the status from the start time, the end time and the cap'),
  startTime: time.nullable(),
  endTime: time.nullable(),
  cap: z.int(),
  participantsCount: z.int(),
  loyaltyPoints: z.int(),
  gasType: z.string(),
  chain: z.string().nullable(),
  isPrivate: z.boolean(),
  createdAt: time,
  credentialGroups: z.array(groupShape),
  version: versionShape,
})

export const pageOf = (item: z.ZodRawShape) =>
  z.strictObject({
    items: z.array(z.looseObject({ id: z.string(), name: z.string(), ...item })),
    next: z.string().nullable().describe('The value of `after` for the next page; null on the last page'),
  })

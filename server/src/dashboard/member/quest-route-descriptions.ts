import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import { refusalShape, time } from '../../api/response-shapes.ts'
import { optionalBody, readCount, readTextParameter } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { OWN_QUEST_STATES, type OwnQuestsQuery, type OwnQuestState } from '../../claims/own-quests.ts'
import { invalidField, unknownPage } from '../../errors.ts'
import { fault } from '../../texts/faults.ts'

const MAX_ADDRESS = 200
const PAGE_SIZE = 20
const MAX_PAGE_SIZE = 50
const MAX_QUEST_ID = 100
const KEY = /^[^\p{Cc}]{1,200}$/u

const tag = 'Quests'
/** The description of the path parameter `id`. It continues the name: "id of the quest". */
const questIdDescription = 'of the quest'
/** The `missingRight` of routes for members of a quest. */
export const QUEST_IS_PRIVATE = 'the quest is private'
export const ownAddress = z.string().min(1).max(MAX_ADDRESS)

/**
 * The body of a claim, in this API and in the API for apps. `key` also validates the header `Idempotency-Key`.
 */
export const claimShape = z.strictObject({
  address: ownAddress.optional().describe('A linked address; default: the first one that fits the chain of the quest'),
  key: z
    .string()
    .regex(pattern('key', KEY), 'must be 1 to 200 characters without control characters')
    .optional()
    .describe('A repeated claim with the same key returns the first result. The header Idempotency-Key does the same'),
})

const completionShape = z.strictObject({
  address: z.string(),
  points: z.int().nullable().describe('null if the participant was imported'),
  sprintId: z.int().nullable().describe('The sprint whose leaderboard also received the points; null if no sprint did'),
  claimedAt: time,
})

const questShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.string(),
  status: z.string(),
  startTime: time.nullable(),
  endTime: time.nullable(),
  cap: z.int().describe('0 or less: no cap'),
  participantsCount: z.int(),
  loyaltyPoints: z.int(),
  chain: z.string().nullable(),
  space: z.strictObject({ id: z.string(), name: z.string() }),
})

const conditionShape = z.strictObject({
  expression: z.string(),
  credentialId: z.string(),
  credential: z.string().describe('The name of the credential'),
  link: z.string().describe('The reference link of the credential; may be empty'),
  state: z
    .enum(['met', 'not-met', 'syncing', 'unavailable'])
    .describe(
      '`syncing`: the list of holders is not current. `unavailable`: the source does not respond. In both cases the service cannot decide whether the condition is met',
    ),
  kind: z
    .string()
    .nullable()
    .describe(
      'The kind of identity that can meet the condition; null: no kind is known for the source or the type of the credential',
    ),
  linked: z.boolean().describe('Whether an identity of this kind is linked to the account, or none is needed'),
  checkable: z.boolean().describe('Whether the source of the credential can be asked about one identity'),
  act: z
    .enum(['quiz', 'visit'])
    .nullable()
    .describe(
      'The action with which the member meets the condition on this site: answer the quiz, or visit the page; null: no such action',
    ),
})

const verificationBodyShape = z.strictObject({
  credentialId: z.string().min(1).max(100).describe('The ID of a credential that a condition of the quest uses'),
  address: ownAddress.optional().describe('A linked address of the `kind` of the condition; default: the first one'),
})

const verificationResultShape = z.strictObject({
  kind: z.string().describe('The kind of the identity that was checked'),
  held: z.boolean().nullable().describe('null if the source could not decide'),
  checkedAt: time,
  listChanged: z
    .boolean()
    .describe(
      'true: the check added the account to the list of holders, or removed it from the list. false: the list did not change',
    ),
})

const readinessShape = z.strictObject({
  quest: questShape,
  state: z.enum(['completed', 'ready', 'refused']).describe('`ready`: a claim would be accepted now'),
  address: z.string().nullable().describe('The address that a claim would use'),
  kind: z.string().nullable().describe('The kind of address that completes the quest; null for any kind'),
  addresses: z
    .array(z.strictObject({ kind: z.string(), address: z.string() }))
    .describe('The linked addresses that can complete the quest'),
  completion: completionShape.nullable(),
  refusal: refusalShape.extend({ message: z.string() }).nullable().describe('Why a claim would be refused now'),
  groups: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      relation: z.string().describe('`ALL` or `ANY`'),
      met: z.boolean(),
      conditions: z.array(conditionShape),
    }),
  ),
})

const ownQuestShape = z.strictObject({
  quest: questShape,
  state: z.enum(OWN_QUEST_STATES),
  conditions: z
    .strictObject({ needed: z.int(), met: z.int(), unknown: z.int() })
    .describe(
      'Numbers of conditions. A group with `ANY` counts as one condition. For completed quests, all numbers are 0',
    ),
  completion: completionShape.nullable(),
})

function readState(value: unknown): OwnQuestState | undefined {
  if (value === undefined) return undefined
  const state = OWN_QUEST_STATES.find((known) => known === value)
  if (!state)
    throw invalidField(
      'state',
      `must be one of: ${OWN_QUEST_STATES.join(', ')}`,
      fault('not_one_of', { allowed: OWN_QUEST_STATES }),
    )
  return state
}

function readPosition(value: unknown): OwnQuestsQuery['after'] {
  if (value === undefined) return undefined
  const match = /^(\d{1,15})\.([A-Za-z0-9_-]{1,100})$/.exec(typeof value === 'string' ? value : '')
  if (!match) throw unknownPage('after')
  return { createdAt: Number(match[1]), id: match[2] as string }
}

function readQuestIds(value: unknown): string[] {
  const ids = readTextParameter('quests', value, 1, MAX_PAGE_SIZE * (MAX_QUEST_ID + 1)).split(',')
  if (ids.length > MAX_PAGE_SIZE || ids.some((id) => id === '' || id.length > MAX_QUEST_ID))
    throw invalidField(
      'quests',
      `must be 1 to ${MAX_PAGE_SIZE} IDs of quests with commas between them`,
      fault('wrong_count', { min: 1, max: MAX_PAGE_SIZE }),
    )
  return [...new Set(ids)]
}

const readAddress = (value: unknown): string | undefined =>
  value === undefined ? undefined : readTextParameter('address', value, 1, MAX_ADDRESS)

/** Quests of the signed-in account. */
export const questDescriptions = {
  claim: {
    method: 'POST',
    path: '/api/quests/:id/claim',
    who: 'account',
    summary: 'Complete a quest',
    description:
      'Checks the rules and conditions of the quest, stores the participant and awards the points, in one transaction.',
    tag,
    params: { id: questIdDescription },
    missingRight: QUEST_IS_PRIVATE,
    body: optionalBody(claimShape),
    answer: {
      description: '`duplicate`: a claim with this key was stored before, so this claim changed nothing.',
      shape: z.strictObject({ status: z.enum(['applied', 'duplicate']), completion: completionShape }),
    },
    errors: {
      404: 'The quest does not exist, or is not visible.',
      409: '`claim_refused`: `refusal` names the rule and the missing conditions.',
      429: 'Too many claims; `Retry-After` says when to retry.',
    },
  },
  readiness: {
    method: 'GET',
    path: '/api/quests/:id/readiness',
    who: 'account',
    summary: 'Check what the account still needs for a quest',
    tag,
    params: { id: questIdDescription },
    missingRight: QUEST_IS_PRIVATE,
    query: {
      address: {
        description: 'a linked address; default: the first one that fits the chain of the quest',
        shape: z.string(),
      },
    },
    readQuery: (query) => readAddress(query.address),
    answer: {
      description: 'The state of each condition, and whether a claim would be accepted now.',
      shape: readinessShape,
    },
    errors: {
      404: 'The quest does not exist, or is not visible.',
      429: 'Too many requests; `Retry-After` says when to retry.',
    },
  },
  verify: {
    method: 'POST',
    path: '/api/quests/:id/verifications',
    who: 'account',
    summary: 'Check a condition of a quest at its source',
    description:
      'Asks the source of the credential whether the account meets the condition, and updates the list of holders with the result. A result is reused for 20 seconds. For a source that checks accounts of a platform, such as Discord, the service checks up to three linked accounts and rejects `address`.',
    tag,
    params: { id: questIdDescription },
    missingRight: QUEST_IS_PRIVATE,
    body: verificationBodyShape,
    answer: { description: 'The result of the source, at most 20 seconds old.', shape: verificationResultShape },
    errors: {
      404: 'The quest or the condition does not exist, or is not visible.',
      409: '`not_checkable`: the source has no check for one identity. `identity_missing`: the account has no identity of the `kind` of the condition that may be used for eligibility. `source_changed`: the source was replaced during the check.',
      429: 'Too many checks of this account or source; `Retry-After` says when to retry.',
      503: '`source_unavailable`: the source does not respond, or asked for a pause; `Retry-After` says when to retry.',
    },
  },
  list: {
    method: 'GET',
    path: '/api/my/quests',
    who: 'account',
    summary: 'List the quests that the account can complete or has completed',
    description:
      'Without `state`, the list has the Active public quests that are `ready`, `almost` or `completed`. `ready`: an address of the account fits, and all needed conditions are met. `almost`: at least one condition is met, and at most one needed condition is known to be unmet. `open`: all other Active public quests. `state=completed` lists all claims of the account on quests that it can see now, including ended quests. Conditions that a live API decides count as unknown.',
    tag,
    query: {
      state: { description: 'only quests in this state', shape: z.enum(OWN_QUEST_STATES) },
      first: { description: `page size; default ${PAGE_SIZE}`, shape: z.int().min(1).max(MAX_PAGE_SIZE) },
      after: { description: 'the `next` of the previous page', shape: z.string() },
    },
    readQuery: ({ state, first, after }) => ({
      state: readState(state),
      first: readCount('first', first, MAX_PAGE_SIZE, PAGE_SIZE),
      after: readPosition(after),
    }),
    answer: {
      description: 'Newest first. A page may be shorter than `first` while `next` is not null.',
      shape: z.strictObject({
        list: z.array(ownQuestShape),
        next: z.string().nullable().describe('The `after` of the next page'),
      }),
    },
    errors: { 429: 'Too many requests; `Retry-After` says when to retry.' },
  },
  completed: {
    method: 'GET',
    path: '/api/my/completed-quests',
    who: 'account',
    summary: 'Check which quests the account has completed',
    tag,
    query: {
      quests: {
        description: `1 to ${MAX_PAGE_SIZE} IDs of quests, with commas between them`,
        shape: z.string(),
        required: true,
      },
    },
    readQuery: ({ quests }) => ({ quests: readQuestIds(quests) }),
    answer: {
      description: 'The IDs of the completed quests, in the order of `quests`.',
      shape: z.strictObject({ completed: z.array(z.string()) }),
    },
    errors: { 429: 'Too many requests; `Retry-After` says when to retry.' },
  },
} as const satisfies Record<string, RouteDescription>

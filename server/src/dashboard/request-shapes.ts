import { pattern } from '../text/fault-of-issue.ts'
import { z } from 'zod'
import { characters } from '../text/characters.ts'
import { AREAS } from '../graphql/context.ts'
import { TOKEN_LENGTH } from '../secrets/token-format.ts'

export const newToken = z.strictObject({
  name: characters(1, 100, z.string().trim()),
  areas: z.array(z.enum(AREAS)).min(1).optional(),
  plan: z.string().max(40).describe('one of GET /api/plans; default: free').optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  origins: z
    .array(z.string())
    .describe('Makes a publishable token for pages of these 1 to 20 origins, such as https://app.example.com')
    .optional(),
  spaces: z
    .array(z.int())
    .describe('Up to 100 ids of the spaces that a publishable token can read, with their quests')
    .optional(),
})

export const logoShape = z.strictObject({ logo: z.string().max(100_000).nullable() })
export const decisionShape = z.strictObject({
  reason: characters(0, 500).default(''),
  revision: z.int().describe('the reviewed revision; required to approve').optional(),
})

export const sinceShape = z.strictObject({
  since: z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-21T12:00:00Z' }),
})

const listOrAll = <Id extends z.ZodType>(id: Id) => z.union([z.literal('all'), z.array(id)], 'must be "all" or a list')
export const newIngestToken = z.strictObject({
  name: characters(1, 100, z.string().trim()),
  spaces: listOrAll(z.int()).optional(),
  starboards: listOrAll(z.string()).optional(),
  credentials: listOrAll(z.string()).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
})

export const invitationShape = z.strictObject({ code: z.string().max(TOKEN_LENGTH) })
export const PLAN_NAME = /^[a-z][a-z0-9-]{0,39}$/
export const PLAN_NAME_RULE = 'must be 1 to 40 characters of a-z, 0-9 and -, starting with a letter'

const LIMIT_RULE = 'must be a whole number from 1 to 2147483647, or null for unlimited'
const limit = z.int(LIMIT_RULE).min(1, LIMIT_RULE).max(2_147_483_647, LIMIT_RULE).nullable()
export const planShape = z.strictObject({
  perSecond: limit.describe('Queries per second for each token; null if unlimited'),
  perDay: limit.describe('Queries per UTC day for each token; null if unlimited'),
  open: z.boolean().describe('Whether accounts may choose it for their tokens'),
})
export const newPlanShape = planShape.extend({
  plan: z
    .string()
    .regex(pattern('plan_name', PLAN_NAME), PLAN_NAME_RULE)
    .describe('Its name: 1 to 40 of a-z, 0-9 and -'),
})
export const planChoiceShape = z.strictObject({ plan: z.string().max(40) })

export const identityShape = z.strictObject({
  kind: z.string().max(40),
  subject: z.string().min(1).max(1400).describe('The id, for a passkey (kind ServiceID)'),
})
export const identityChangeShape = identityShape.extend({
  useForEligibility: z.boolean().describe('Whether it counts for the eligibility of the account’s other identities'),
})
export const unlinkShape = identityShape.extend({
  endCreated: z
    .boolean()
    .default(false)
    .describe('Also end what GET /api/identities/created-since lists: the access of apps and tokens'),
})

export const runShape = z.strictObject({
  confirm: z.boolean().default(false).describe('Allow the removal of any number of holders, for a run that is held'),
})

import { z } from 'zod'

// Response shapes for the OpenAPI document. Tests validate real responses against them.

export const time = z.iso.datetime().describe('RFC 3339, UTC')
export const uuid = z.guid()

export const identityShape = z.strictObject({
  kind: z.string(),
  subject: z.string().describe('Immutable: an address in its canonical form, or a numeric id'),
  username: z.string().nullable().describe('The display name; may change'),
  linkedAt: time,
  useForEligibility: z
    .boolean()
    .nullable()
    .describe('Whether it counts for the eligibility of the account’s other identities; null if it never does'),
})

export const passkeyShape = z.strictObject({ id: z.string(), createdAt: time, lastUsedAt: time.nullable() })

export const accountShape = z.looseObject({
  id: uuid,
  username: z.string(),
  operator: z.boolean(),
  identities: z.array(identityShape),
  marks: z.array(z.string()).describe('The marks of its own addresses on public pages'),
  passkeys: z.array(passkeyShape),
})

export const sessionShape = z.strictObject({
  csrfToken: z.string().describe('For the header x-csrf-token of calls that change something'),
  account: accountShape.nullable(),
})

const kindShape = z.looseObject({
  kind: z.string(),
  label: z.string(),
  way: z.enum(['wallet', 'passkey', 'telegram-widget', 'email-code', 'redirect']),
  start: z.string().optional().describe('For way `redirect`: the URL that starts the sign-in'),
  needs: z.array(z.string()).optional().describe('The fields that POST /api/challenges requires'),
})

export const kindsShape = z.strictObject({
  kinds: z.array(kindShape),
  off: z.array(z.strictObject({ kind: z.string(), label: z.string(), reason: z.string() })),
})

export const challengeAnswerShape = z.strictObject({
  id: z.string(),
  kind: z.string(),
  expiresAt: time,
  message: z.string().optional().describe('The text that the wallet signs, byte for byte'),
  signIn: z.unknown().optional().describe('Input of the wallet’s own sign-in call'),
  flow: z.unknown().optional().describe('Input of the Flow client library'),
  webauthn: z
    .unknown()
    .optional()
    .describe('`request` and `creation`: options of navigator.credentials.get and create'),
  widget: z.unknown().optional().describe('Attributes of the Telegram login widget'),
})

export const auditShape = z.strictObject({
  events: z.array(
    z.strictObject({
      accountId: uuid,
      event: z.string(),
      eventId: uuid,
      at: time,
      clientId: z.string().optional(),
      address: z.string(),
      details: z.record(z.string(), z.string()),
    }),
  ),
  next: z.string().nullable().describe('The `before` of the next page'),
})

const mergedAccount = { id: uuid, username: z.string() }

export const mergeShape = z.strictObject({
  id: z.string(),
  expiresAt: time,
  into: z.strictObject(mergedAccount).describe('The account that stays'),
  from: z.looseObject(mergedAccount).describe('The account that ends, and what moves'),
})

const missingConditionShape = z.strictObject({
  groupId: z.string(),
  group: z.string(),
  expression: z.string(),
  credentialId: z.string(),
  state: z.enum(['not-met', 'syncing', 'unavailable']),
})

export const refusalShape = z.strictObject({
  reason: z.string().describe('For example CAP_REACHED; docs/quests.md lists all'),
  rule: z.string().describe('The rule of the quest'),
  retry: z.boolean().describe('Whether the same claim can be accepted later'),
  conditions: z.array(missingConditionShape).optional().describe('The conditions that are not met, or not known'),
})

export const faultShape = z
  .strictObject({
    code: z.string().describe('For example too_long; docs/errors.md lists all'),
    parameters: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  })
  .describe('The reason for which the field is refused, for texts in other languages')

export const errorShape = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    field: z.string().optional().describe('The invalid part of the request, such as `credentialGroups[0].name`'),
    fault: faultShape.optional(),
    problems: z
      .array(z.strictObject({ field: z.string(), message: z.string(), fault: faultShape.optional() }))
      .optional()
      .describe('All invalid parts of a request that has several'),
    refusal: refusalShape.optional().describe('For code `claim_refused`'),
    removals: z.array(z.string()).optional().describe('For code `removals_not_confirmed`'),
    nextAttemptAt: time.optional().describe('For code `attempts_used`'),
    request_id: z.string().describe('The id of the request in the log and in the header x-request-id'),
  }),
})

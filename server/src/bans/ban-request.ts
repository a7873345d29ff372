import { fault, wrongFormat } from '../texts/faults.ts'
import { z } from 'zod'
import { canonicalMember } from '../addresses/addresses.ts'
import { time, uuid } from '../api/response-shapes.ts'
import { characters } from '../text/characters.ts'

const MAX_ADDRESS_BYTES = 90
export const ADDRESS = `must be an address, a mail address or a handle of at most ${MAX_ADDRESS_BYTES} bytes`
const MISSING = 'is missing; name an account or an address'
const SPACE = 'must be the id of a space, or null for all spaces'
const TIME = 'must be a time such as 2026-12-31T00:00:00Z'

/** The canonical form of an address that a ban can name. */
export function canonicalBanned(text: string): string | undefined {
  const address = canonicalMember(text)
  return address !== undefined && Buffer.byteLength(address) <= MAX_ADDRESS_BYTES ? address : undefined
}

/** A request to ban an account or an address. */
export const banRequestShape = z
  .strictObject({
    account: z.string().max(200).optional().describe('The username or id of the account'),
    address: z
      .string()
      .transform((text, context) => {
        const address = canonicalBanned(text)
        if (address !== undefined) return address
        context.issues.push({ code: 'custom', message: ADDRESS, input: text, params: wrongFormat('member') })
        return z.NEVER
      })
      .optional()
      .describe('An address of any chain, a mail address or a handle, as on boards'),
    spaceId: z.int({ error: SPACE }).min(1, SPACE).max(2_147_483_647, SPACE).nullable().default(null),
    reason: characters(1, 500, z.string().trim()).describe('For operators'),
    endsAt: z.iso
      .datetime({ offset: true, error: TIME })
      .nullable()
      .default(null)
      .describe('null if the ban has no end'),
  })
  .superRefine(({ account, address }, context) => {
    if ((account === undefined) !== (address === undefined)) return
    const message = account === undefined ? MISSING : 'and address are both given; name one of them'
    context.addIssue({ code: 'custom', message, params: fault('one_of_two'), path: ['account'] })
  })

export type BanRequest = z.output<typeof banRequestShape>

export const banShape = z.strictObject({
  id: uuid,
  account: z
    .strictObject({ id: uuid, username: z.string().nullable().describe('null if the account was deleted') })
    .nullable(),
  address: z.string().nullable(),
  addresses: z.array(z.string()).describe('The banned addresses; empty after the end'),
  spaceId: z.int().nullable().describe('null if the ban is valid in all spaces'),
  spaceName: z.string().nullable().describe('null if the ban is valid in all spaces, or the space was deleted'),
  reason: z.string(),
  createdAt: time,
  createdBy: uuid.nullable().describe('The account of the operator; null if a command created the ban'),
  createdByUsername: z.string().nullable().describe('null if a command created the ban, or the account was deleted'),
  endsAt: time.nullable().describe('null if the ban has no end'),
  endedAt: time.nullable(),
  endedBy: uuid.nullable(),
  endCause: z.enum(['lifted', 'expired']).nullable(),
})

/** The spaces on whose boards the addresses have points. */
const boardsShape = z.array(z.strictObject({ spaceId: z.int(), name: z.string() }))

export const newBanShape = banShape.extend({
  boards: boardsShape.describe('The spaces of the ban in which its addresses have points; empty: it changes no board'),
})

export const subjectShape = z.strictObject({
  account: z.strictObject({ id: uuid, username: z.string() }).nullable(),
  addresses: z.array(z.string()).describe('The addresses that a ban would cover'),
  boards: boardsShape.describe('The spaces in which they have points, even if they are banned there'),
  accountOfName: z
    .strictObject({ id: uuid, username: z.string() })
    .nullable()
    .describe('The account with the username or ID that is given as `address`; a ban of the address does not cover it'),
})

import { z } from 'zod'
import { time, uuid } from '../api/response-shapes.ts'
import { failureCodes } from './snapshot-error.ts'
import { leftOutReasons, PREVIEWED } from './first-members.ts'

const hash = z.string().regex(/^0x[0-9a-f]{64}$/)
const digits = z.string().regex(/^-?[0-9]+$/)

const asOf = time.describe('The time of the list. Until it is sealed, a list of holders has the time of the request')

export const snapshotShape = z.strictObject({
  id: uuid,
  kind: z.enum(['space', 'credential', 'quest']),
  name: z.string().describe('The name of the space, credential or quest when it was requested'),
  spaceId: z.int().nullable(),
  sprintId: z.int().nullable().describe('null for the overall board'),
  credentialId: z.string().nullable(),
  questId: z.string().nullable(),
  version: z.int().nullable().describe('Of the board'),
  asOf,
  public: z.boolean(),
  note: z.string().nullable().describe('A text of the person who requested it'),
  state: z.enum(['waiting', 'sealed', 'failed']),
  createdAt: time,
  sealedAt: time.nullable(),
  failure: z.string().nullable().describe('The reason why it could not be sealed'),
  failureCode: z
    .enum(failureCodes)
    .nullable()
    .describe('The code of this reason; null for other reasons, and for failures from before there were codes'),
  members: z.int().nullable(),
  points: digits.nullable().describe('The sum'),
  leaves: z.int().nullable().describe('Members in the Merkle tree'),
  leftOut: z.int().nullable().describe('Members outside of the Merkle tree'),
  banned: z.int().nullable().describe('Banned members, who are not in the list'),
  bytes: z.int().nullable(),
  digest: z.string().nullable().describe('SHA-256 of the CSV download, hexadecimal'),
  root: hash.nullable().describe('Of the Merkle tree; null without leaves'),
})

const listedMember = z.strictObject({
  rank: z.int(),
  address: z.string(),
  name: z.string().describe('The name on leaderboards'),
  points: z.int(),
  leftOut: z.enum(leftOutReasons).nullable().describe('Why the member is not in the Merkle tree; null: it is'),
})

export const previewShape = z.strictObject({
  kind: snapshotShape.shape.kind,
  name: z.string(),
  asOf: time.describe('The time of the list'),
  members: z.int(),
  points: digits.describe('The sum'),
  leaves: z.int().describe('Members in the Merkle tree: EVM addresses with 0 or more points'),
  leftOut: z.int(),
  banned: z.int().describe('Banned members, who are not in the list'),
  bytes: z.int().describe('An estimate of the bytes that are needed on the disk of the database'),
  firstMembers: z.array(listedMember).max(PREVIEWED).describe('The first members of the list'),
  firstLeftOut: z.array(listedMember).max(PREVIEWED).describe('The first members outside of the Merkle tree'),
})

export const proofShape = z.strictObject({
  address: z.string(),
  rank: z.int(),
  amount: digits.describe('The second value of the leaf'),
  leaf: hash,
  proof: z.array(hash),
  root: hash,
})

export const statementShape = z.strictObject({
  snapshotId: uuid,
  address: z.string(),
  text: z.string().describe('The sentence that is signed'),
  asOf: time,
  rank: z.int().optional(),
  points: z.int().optional(),
  jwt: z.string().describe('Signed by a key of GET /oauth/jwks, valid for a day'),
  eip712: z
    .looseObject({ signer: z.string(), signature: z.string() })
    .nullable()
    .describe(
      'Typed data with its signature; null without QUESTBOARD_STATEMENT_KEY, and unless the address is an EVM address',
    ),
})

export const memberShape = statementShape.extend({
  proof: z.array(hash).nullable().describe('The hashes of the Merkle proof, in order; null outside of the tree'),
})

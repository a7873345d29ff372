import { characters } from '../text/characters.ts'
import { faultOfIssue } from '../text/fault-of-issue.ts'
import { type Fault, fault, wrongFormat } from '../texts/faults.ts'
import { z } from 'zod'
import { isCredentialId } from '../resolvers/credential-id.ts'
import { isIdentifier } from '../resolvers/identifiers.ts'
import type { RequestBody } from '../api/route-description.ts'
import { invalid, SnapshotError } from './snapshot-error.ts'

/**
 * The list to seal: the board of a space or of one of its sprints, the holders of a credential, or the participants of a
 * quest. Exactly one of `spaceId`, `credentialId` and `questId` is set; `sprintId` only together with `spaceId`.
 */
export interface SnapshotRequest {
  spaceId?: number | undefined
  sprintId?: number | undefined
  credentialId?: string | undefined
  questId?: string | undefined
  /** Default: now. */
  at?: Date | undefined
  isPublic: boolean
  /** A text for readers of the snapshot. */
  note?: string | undefined
}

export const MAX_NOTE = 200

const MAX_ID = 2_147_483_647
const ID = `must be a whole number from 1 to ${MAX_ID}`
const whole = z.int({ error: ID }).min(1, { error: ID }).max(MAX_ID, { error: ID })
const TIME = 'must be a time such as 2026-11-24T12:00:00Z'

export const snapshotRequestShape = z.strictObject({
  spaceId: whole.optional().describe('The space whose board is sealed'),
  sprintId: whole.optional().describe('The sprint of the space; default: the overall board'),
  credentialId: z
    .string()
    .refine(isCredentialId, { error: 'must be the id of a credential', params: wrongFormat('credential_id') })
    .optional()
    .describe('The credential whose holders are sealed'),
  questId: z
    .string()
    .refine(isIdentifier, { error: 'must be the id of a quest', params: wrongFormat('quest_id') })
    .optional()
    .describe('The quest whose participants are sealed'),
  at: z.iso
    .datetime({ offset: true, error: TIME })
    .optional()
    .describe(
      'The time of the list, RFC 3339; default: now. Boards: within the last 30 minutes; credentials: not allowed',
    ),
  public: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe(
      'Whether anyone can read proofs and statements; by default, only commands and ingest tokens with access to the list',
    ),
  note: characters(0, MAX_NOTE, z.string().trim())
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), {
      error: 'must be one line of text without control characters and without incomplete characters',
      params: wrongFormat('storable_text'),
    })
    .optional()
    .describe('A text for readers of the snapshot; it is as public as the snapshot'),
  dryRun: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe('Counts the list and shows its first members; nothing is stored'),
})

const PREVIEW = 'is not allowed here; to only count the list, use the path that ends with /preview'

/** Without the field that only some routes accept. */
const sealingShape = snapshotRequestShape.omit({ dryRun: true })
const shapeInSpace = sealingShape.omit({ spaceId: true, credentialId: true })

/** Reads the body of a request. @throws SnapshotError that names the field */
export function readSnapshotRequest(body: unknown): SnapshotRequest & { dryRun: boolean } {
  const request = readRequest(snapshotRequestShape, body)
  requireOneList(request)
  return request
}

/**
 * The body of two routes that do not accept `dryRun`: one path seals the list, and the same path with /preview only counts
 * it.
 */
export const snapshotBody: RequestBody<SnapshotRequest> = {
  shape: sealingShape,
  read(body) {
    refuseField(body, 'dryRun', PREVIEW)
    const request = readRequest(sealingShape, body)
    requireOneList(request)
    return request
  },
}

/** The body of such routes if the path names the space. Without a quest, the list is the board of this space. */
export const spaceSnapshotBody: RequestBody<SnapshotRequest> = {
  shape: shapeInSpace,
  read(body) {
    refuseField(body, 'spaceId', 'is part of the path', fault('unknown_field'))
    refuseField(body, 'credentialId', 'is not allowed here; operators seal lists of holders', fault('operators_only'))
    refuseField(body, 'dryRun', PREVIEW)
    const request = readRequest(shapeInSpace, body)
    if (request.questId !== undefined && request.sprintId !== undefined)
      throw invalid('sprintId', 'is not allowed together with questId', fault('one_list'))
    return request
  },
}

/** @throws SnapshotError that names the field */
function refuseField(body: unknown, field: string, message: string, fault?: Fault): void {
  if (typeof body === 'object' && body !== null && field in body) throw invalid(field, message, fault)
}

type RequestShape = z.ZodType<z.output<typeof snapshotRequestShape>> & { shape: object }

/** @throws SnapshotError that names the field, and only fields of the shape as allowed ones */
function readRequest(accepted: RequestShape, body: unknown): SnapshotRequest & { dryRun: boolean } {
  const { data, error } = accepted.safeParse(body, { reportInput: true })
  if (error) {
    const [issue] = error.issues
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
    if (unknown !== undefined)
      throw invalid(unknown, `is unknown; allowed: ${Object.keys(accepted.shape).join(', ')}`, fault('unknown_field'))
    const field = String(issue?.path[0] ?? '')
    if (field === '')
      throw new SnapshotError(
        'INVALID_ARGUMENT',
        'The body must be a JSON object',
        undefined,
        fault('wrong_type', { expected: 'object' }),
      )
    throw invalid(field, issue?.message ?? 'is invalid', issue && faultOfIssue(issue))
  }
  const { public: isPublic = false, dryRun = false, at, note, ...ids } = data
  return { ...ids, at: at === undefined ? undefined : new Date(at), isPublic, note: note || undefined, dryRun }
}

/** @throws SnapshotError unless exactly one list is named, and for a sprint without its space */
function requireOneList({ spaceId, sprintId, credentialId, questId }: SnapshotRequest): void {
  const named = [spaceId, credentialId, questId].filter((id) => id !== undefined)
  if (named.length !== 1)
    throw new SnapshotError(
      'INVALID_ARGUMENT',
      'Name exactly one list: a space, a credential or a quest.',
      'spaceId',
      fault('one_list'),
    )
  if (sprintId !== undefined && spaceId === undefined)
    throw invalid('sprintId', 'needs the space of the sprint', fault('needs_space'))
}

import { fault, wrongFormat } from '../texts/faults.ts'
import { pattern } from '../text/fault-of-issue.ts'
import { z } from 'zod'
import { characters } from '../text/characters.ts'
import { readBody } from '../api/read-body.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import { parseTarget } from '../outgoing/redirects.ts'
import { BOARDS, EVENT_TYPES, type EventType, MAX_TOP } from './events.ts'
import { credentialSubject, spaceSubject, starboardSubject } from './outbox.ts'

const MAX_SUBJECTS = 100
const MAX_URL_LENGTH = 2_000
const MAX_INT = 2_147_483_647
const MAX_BIGINT = 9_223_372_036_854_775_807n

const integer = (min: number, max: number) => {
  const allowed = `must be a whole number from ${min} to ${max}`
  return z.number(allowed).int(allowed).min(min, allowed).max(max, allowed)
}
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .max(MAX_SUBJECTS, `must have at most ${MAX_SUBJECTS} entries`)
    .transform((items) => [...new Set(items)])

const URL_TOO_LONG = `must have at most ${MAX_URL_LENGTH} characters`

/** Stores the URL that requests use, so that a page never shows another one. */
function normalUrl(text: string, context: z.RefinementCtx): string {
  try {
    const { href } = parseTarget(text)
    if (href.length > MAX_URL_LENGTH)
      context.addIssue({
        code: 'custom',
        message: `${URL_TOO_LONG}, encoded`,
        params: fault('too_long', { max: MAX_URL_LENGTH }),
      })
    return href
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    context.addIssue({ code: 'custom', message: `cannot be used: ${error.message}`, params: error.fault })
    return z.NEVER
  }
}

const fields = {
  url: z.string('must be a URL').min(1, 'must be a URL').max(MAX_URL_LENGTH, URL_TOO_LONG).transform(normalUrl),
  description: characters(0, 500),
  events: z
    .array(z.enum(EVENT_TYPES, `must be one of ${EVENT_TYPES.join(', ')}`), 'must be a list of event types')
    .min(1, `must name at least one of ${EVENT_TYPES.join(', ')}`)
    .transform((events) => EVENT_TYPES.filter((type) => events.includes(type))),
  spaceIds: list(integer(1, MAX_INT)),
  starboardIds: list(z.string().regex(pattern('object_id', /^[A-Za-z0-9_-]{1,100}$/), 'must be the id of a starboard')),
  credentialIds: list(
    z
      .string('must be the id of a credential, as a text')
      // Without `abort`, BigInt would read an id that is not a number.
      .regex(pattern('credential_id', /^[0-9]{1,19}$/), { error: 'must be the id of a credential', abort: true })
      .refine((id) => BigInt(id) <= MAX_BIGINT, {
        error: 'must be the id of a credential',
        params: wrongFormat('credential_id'),
      })
      .transform((id) => String(BigInt(id))),
  ),
  minPoints: integer(1, MAX_INT),
  top: integer(1, MAX_TOP),
  boards: z.enum(BOARDS, `must be one of ${BOARDS.join(', ')}`),
  enabled: z.boolean('must be true or false'),
}

/** The subjects that emit each event type. */
const subjectFields: Record<EventType, readonly ('spaceIds' | 'starboardIds' | 'credentialIds')[]> = {
  'points.awarded': ['spaceIds'],
  'rank.entered': ['spaceIds', 'starboardIds'],
  'rank.left': ['spaceIds', 'starboardIds'],
  'quest.status_changed': ['spaceIds'],
  'quest.completed': ['spaceIds'],
  'credential.synced': ['credentialIds'],
  'credential.sync_failed': ['credentialIds'],
}

/** A webhook, as a creation describes it. */
export const endpointShape = z
  .strictObject({
    ...fields,
    description: fields.description.default(''),
    spaceIds: fields.spaceIds.default([]),
    starboardIds: fields.starboardIds.default([]),
    credentialIds: fields.credentialIds.default([]),
    minPoints: fields.minPoints.default(1),
    top: fields.top.default(10),
    boards: fields.boards.default('all'),
    enabled: fields.enabled.default(true),
  })
  .superRefine((form, context) => {
    const count = form.spaceIds.length + form.starboardIds.length + form.credentialIds.length
    if (count > MAX_SUBJECTS)
      context.addIssue({
        code: 'custom',
        message: `together with starboardIds and credentialIds may have ${MAX_SUBJECTS} entries`,
        params: fault('too_many', { max: MAX_SUBJECTS }),
        path: ['spaceIds'],
      })
    for (const type of form.events)
      if (subjectFields[type].every((field) => form[field].length === 0))
        context.addIssue({
          code: 'custom',
          message: [`is needed for ${type}`, ...subjectFields[type].slice(1)].join(', or '),
          params: fault('needed_for_event', { event: type }),
          path: subjectFields[type].slice(0, 1),
        })
  })

export type EndpointForm = z.output<typeof endpointShape>

/** The changed fields of a webhook. */
export const endpointChangesShape = z.strictObject(fields).partial()

export type EndpointChanges = z.output<typeof endpointChangesShape>

/** @throws ApiError that names the field */
export const readEndpointForm = (form: unknown): EndpointForm => readBody(endpointShape, form)

/** @throws ApiError that names the field */
export const readEndpointChanges = (changes: unknown): EndpointChanges => readBody(endpointChangesShape, changes)

export function subjectsOf(form: Pick<EndpointForm, 'spaceIds' | 'starboardIds' | 'credentialIds'>): string[] {
  return [
    ...form.spaceIds.map(spaceSubject),
    ...form.starboardIds.map(starboardSubject),
    ...form.credentialIds.map(credentialSubject),
  ]
}

/** The reverse of subjectsOf. */
export function namedBy(
  subjects: readonly string[],
): Pick<EndpointForm, 'spaceIds' | 'starboardIds' | 'credentialIds'> {
  const ids = (kind: string) =>
    subjects.flatMap((subject) => (subject.startsWith(`${kind}:`) ? [subject.slice(kind.length + 1)] : []))
  return { spaceIds: ids('space').map(Number), starboardIds: ids('starboard'), credentialIds: ids('credential') }
}

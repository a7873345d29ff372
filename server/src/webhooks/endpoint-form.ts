import { z } from 'zod'
import { characters } from '../text/characters.ts'
import { invalidField } from '../errors.ts'
import { readBody } from '../api/read-body.ts'
import { BOARDS, EVENT_TYPES, type EventType, MOST_TOP } from './events.ts'
import { credentialSubject, spaceSubject, starboardSubject } from './outbox.ts'

const MOST_SUBJECTS = 100
const MOST_INT = 2_147_483_647
const MOST_BIGINT = 9_223_372_036_854_775_807n

const wholeNumber = (least: number, most: number) => {
  const allowed = `must be a whole number from ${least} to ${most}`
  return z.number(allowed).int(allowed).min(least, allowed).max(most, allowed)
}
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .max(MOST_SUBJECTS, `must have at most ${MOST_SUBJECTS} entries`)
    .transform((items) => [...new Set(items)])
    .default([])

export const endpointShape = z.strictObject({
  url: z.string('must be a URL').min(1, 'must be a URL').max(2_000, 'must have at most 2000 characters'),
  description: characters(0, 500).default(''),
  events: z
    .array(z.enum(EVENT_TYPES, `must be one of ${EVENT_TYPES.join(', ')}`), 'must be a list of event types')
    .min(1, `must name at least one of ${EVENT_TYPES.join(', ')}`)
    .transform((events) => EVENT_TYPES.filter((type) => events.includes(type))),
  spaceIds: list(wholeNumber(1, MOST_INT)),
  starboardIds: list(z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be the id of a starboard')),
  credentialIds: list(
    z
      .string('must be the id of a credential, as a text')
      .regex(/^[0-9]{1,19}$/, 'must be the id of a credential')
      .refine((id) => BigInt(id) <= MOST_BIGINT, 'must be the id of a credential')
      .transform((id) => String(BigInt(id))),
  ),
  minPoints: wholeNumber(1, MOST_INT).default(1),
  top: wholeNumber(1, MOST_TOP).default(10),
  boards: z.enum(BOARDS, `must be one of ${BOARDS.join(', ')}`).default('all'),
  enabled: z.boolean('must be true or false').default(true),
})

/** What an owner decides about an endpoint. */
export type EndpointForm = z.output<typeof endpointShape>

/** Which subjects an event can be about. */
const about: Record<EventType, readonly ('spaceIds' | 'starboardIds' | 'credentialIds')[]> = {
  'points.awarded': ['spaceIds'],
  'rank.entered': ['spaceIds', 'starboardIds'],
  'rank.left': ['spaceIds', 'starboardIds'],
  'quest.status_changed': ['spaceIds'],
  'credential.synced': ['credentialIds'],
  'credential.sync_failed': ['credentialIds'],
}

/** Validates the input; `before` provides the fields that a change omits. @throws ApiError that names the field */
export function readEndpointForm(body: unknown, before: Partial<EndpointForm> = {}): EndpointForm {
  const form = readBody(endpointShape, typeof body === 'object' && body !== null ? { ...before, ...body } : body)
  const count = form.spaceIds.length + form.starboardIds.length + form.credentialIds.length
  if (count > MOST_SUBJECTS)
    throw invalidField('spaceIds', `together with starboardIds and credentialIds may have ${MOST_SUBJECTS} entries`)
  for (const type of form.events)
    if (about[type].every((field) => form[field].length === 0))
      throw invalidField(about[type][0] as string, [`is needed for ${type}`, ...about[type].slice(1)].join(', or '))
  return form
}

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

import { invalidField } from '../../errors.ts'
import { fault } from '../../texts/faults.ts'
import { type Purpose, purposes } from '../challenge.queries.ts'

/** The query of `GET /identity/{kind}/start`. */
export interface StartQuery {
  purpose: Purpose
  /** The path to return to. */
  returnTo: string
  /** Whether the query names this path. Errors then redirect to it. */
  hasReturn: boolean
}

/** @throws ApiError that names the parameter */
export function readStartQuery(query: Record<string, unknown>): StartQuery {
  const purpose = readPurpose(readParameter(query, 'purpose') ?? 'sign-in')
  const text = readParameter(query, 'return')
  return { purpose, returnTo: readReturn(text ?? '/'), hasReturn: text !== undefined }
}

/** A parameter that may occur at most once. @throws ApiError */
export function readParameter(query: Record<string, unknown>, name: string): string | undefined {
  const value = query[name]
  if (Array.isArray(value)) throw invalidField(name, 'must occur once', fault('wrong_type', { expected: 'text' }))
  return typeof value === 'string' ? value : undefined
}

function readPurpose(text: string): Purpose {
  const purpose = purposes.find((known) => known === text)
  if (!purpose)
    throw invalidField('purpose', `must be one of ${purposes.join(', ')}`, fault('not_one_of', { allowed: purposes }))
  return purpose
}

const OURS = 'https://questboard.invalid'

function readReturn(text: string): string {
  const path = /^\/[\x21-\x5b\x5d-\x7e]{0,500}$/.test(text) ? URL.parse(text, OURS)?.href : undefined
  // Dot segments can hide a path that begins with two slashes, which is another site.
  if (path === undefined || !path.startsWith(`${OURS}/`) || path.startsWith(`${OURS}//`))
    throw invalidField('return', 'must be a path of this site', fault('not_allowed'))
  return path.slice(OURS.length)
}

import type { z } from 'zod'
import { ApiError, invalidField, notFound } from './api-error.ts'

/** Checks a JSON body. @throws ApiError that names the first field that cannot be used, and what is allowed */
export function readBody<T>(shape: z.ZodType<T>, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError(400, 'invalid_argument', 'The body must be a JSON object')
  if (hasUnstorableText(body))
    throw new ApiError(
      400,
      'invalid_argument',
      'Texts must be well-formed Unicode without NUL, and objects nested at most 12 deep',
    )
  const parsed = shape.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalidField(issue?.path.join('.') ?? 'body', issue?.message ?? 'cannot be used')
}

const MAX_DEPTH = 12

function hasUnstorableText(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  if (depth === MAX_DEPTH) return true
  return Object.entries(value).some(([name, member]) => hasUnstorableText(name) || hasUnstorableText(member, depth + 1))
}

/** An identifier in a path, checked before it goes anywhere. @throws ApiError 404, as for one that does not exist */
export function readName(text: string, what: string): string {
  if (!/^[A-Za-z0-9]{1,64}$/.test(text)) throw notFound(what)
  return text
}

/** As readName, for a UUID. @throws ApiError */
export function readUuid(text: string, what: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw notFound(what)
  return text.toLowerCase()
}

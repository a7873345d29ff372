import type { z } from 'zod'
import { ApiError, type FieldProblem, invalidField, invalidFields, notFound } from '../errors.ts'
import { withinLength } from '../text/characters.ts'
import { faultOfIssue } from '../text/fault-of-issue.ts'
import { fault, wrongFormat } from '../texts/faults.ts'
import type { PathParameter } from './parameters.ts'
import type { RequestBody } from './route-description.ts'

/** Validates a JSON body. @throws ApiError that names the first invalid field and the allowed values */
export function readBody<T>(shape: z.ZodType<T>, body: unknown): T {
  const { data, problems } = parseBody(shape, body)
  if (problems) throw invalidField(problems[0].field, problems[0].message, problems[0].fault)
  return data
}

/** Validates a JSON body. @throws ApiError that names all invalid fields */
export function readWholeBody<T>(shape: z.ZodType<T>, body: unknown): T {
  const { data, problems } = parseBody(shape, body)
  if (problems) throw invalidFields(problems)
  return data
}

export const notAnObject = () =>
  new ApiError('invalid_argument', 'The body must be a JSON object', {
    fault: fault('wrong_type', { expected: 'object' }),
  })

type Problems = [FieldProblem, ...FieldProblem[]]
type Parsed<T> = { data: T; problems?: undefined } | { data?: undefined; problems: Problems }

const MAX_PROBLEMS = 100

function parseBody<T>(shape: z.ZodType<T>, body: unknown): Parsed<T> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notAnObject()
  if (hasUnstorableText(body))
    throw new ApiError(
      'invalid_argument',
      'Texts must be well-formed Unicode without NUL, and objects nested at most 12 deep',
      { fault: wrongFormat('storable_text') },
    )
  const parsed = shape.safeParse(body, { error: describeIssue, reportInput: true })
  if (parsed.success) return { data: parsed.data }
  const problems = parsed.error.issues.slice(0, MAX_PROBLEMS).flatMap(problemsOf)
  return { problems: problems as Problems }
}

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const at = (...name: string[]) => [...issue.path, ...name].join('.') || 'body'
  if (issue.code !== 'unrecognized_keys') return [{ field: at(), message: issue.message, fault: faultOfIssue(issue) }]
  return issue.keys.map((key) => ({ field: at(key), message: issue.message, fault: faultOfIssue(issue) }))
}

/** Replaces messages of the validation library; undefined keeps the message of the shape. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return 'is not a known field'
  if (issue.code === 'invalid_value')
    return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code !== 'invalid_type') return undefined
  return issue.input === undefined ? 'is missing' : `must be of type ${issue.expected}`
}

const MAX_DEPTH = 12

function hasUnstorableText(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  if (depth === MAX_DEPTH) return true
  return Object.entries(value).some(([name, member]) => hasUnstorableText(name) || hasUnstorableText(member, depth + 1))
}

/** Reads an id of a path. @throws ApiError 404 if no such id can exist */
export function readName(text: string, what: string): string {
  if (!/^[A-Za-z0-9]{1,64}$/.test(text)) throw notFound(what)
  return text
}

/** Reads a UUID of a path. @throws ApiError */
export function readUuid(text: string, what: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw notFound(what)
  return text.toLowerCase()
}

export const nameParameter = (description: string, what: string): PathParameter<string> => ({
  description,
  read: (text) => readName(text, what),
})

export const uuidParameter = (description: string, what: string): PathParameter<string> => ({
  description,
  read: (text) => readUuid(text, what),
})

/** A body whose errors name all invalid fields, for forms that mark each of them. */
export const wholeBody = <T>(shape: z.ZodType<T>): RequestBody<T> => ({
  shape,
  read: (body) => readWholeBody(shape, body),
})

/** A body that may be absent. */
export const optionalBody = <T>(shape: z.ZodType<T>): RequestBody<T> => ({
  shape,
  read: (body) => readBody(shape, body ?? {}),
})

/** Reads a text of `min` to `max` characters, such as a query parameter. @throws ApiError that names the field */
export function readTextParameter(field: string, value: unknown, min: number, max: number): string {
  const text = value ?? ''
  if (typeof text !== 'string') throw invalidField(field, 'must occur once', fault('wrong_type', { expected: 'text' }))
  const allowed = min === 0 ? `at most ${max}` : `${min} to ${max}`
  if (text.length < min || !withinLength(text, max))
    throw invalidField(
      field,
      `must be text of ${allowed} characters`,
      min === 0 ? fault('too_long', { max }) : fault('wrong_length', { min, max }),
    )
  if (hasUnstorableText(text))
    throw invalidField(field, 'must be well-formed Unicode without NUL', wrongFormat('storable_text'))
  return text
}

/** Reads a number from 1 to `max`. @throws ApiError that names the field */
export function readCount(field: string, value: unknown, max: number, byDefault = max): number {
  if (value === undefined) return byDefault
  const count =
    typeof value === 'string' && /^\d+$/.test(value) && value.length <= String(max).length ? Number(value) : 0
  if (count < 1 || count > max) throw invalidField(field, `must be 1 to ${max}`, fault('out_of_range', { min: 1, max }))
  return count
}

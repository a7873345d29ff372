import type { z } from 'zod'
import { type Fault, fault, faultCodes, type FaultFormat, type FaultType, wrongFormat } from '../texts/faults.ts'

/** Names of formats by their patterns, because an issue of the validation library contains the pattern only. */
const formats = new Map<string, FaultFormat>()

/** A pattern for `regex` of a shape, with the name of the format for faults. */
export function pattern(format: FaultFormat, expression: RegExp): RegExp {
  formats.set(String(expression), format)
  return expression
}

const LIBRARY_FORMATS: Readonly<Record<string, FaultFormat>> = { datetime: 'time', base64: 'base64' }

const TYPES: Readonly<Record<string, FaultType>> = {
  string: 'text',
  number: 'number',
  int: 'whole_number',
  boolean: 'true_or_false',
  array: 'list',
  object: 'object',
  record: 'object',
}

/** The fault of an issue. The shape must be parsed with `reportInput`, because only a missing field has no input. */
export function faultOfIssue(issue: z.core.$ZodIssue): Fault {
  const { code, input } = issue
  if (code === 'custom') return isFault(issue.params) ? issue.params : fault('not_allowed')
  if (code === 'unrecognized_keys') return fault('unknown_field')
  if (input === undefined) return fault('missing')
  switch (code) {
    case 'invalid_type': {
      const expected = TYPES[issue.expected]
      return expected === undefined ? fault('not_allowed') : fault('wrong_type', { expected })
    }
    case 'invalid_value':
      return fault('not_one_of', { allowed: issue.values.map(String) })
    case 'invalid_union':
      return 'options' in issue && issue.options
        ? fault('not_one_of', { allowed: issue.options.map(String) })
        : fault('not_allowed')
    case 'invalid_format':
      return wrongFormat(formats.get(issue.pattern ?? '') ?? LIBRARY_FORMATS[issue.format] ?? 'pattern')
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum))
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum))
    case 'not_multiple_of':
      return fault('not_multiple_of', { step: issue.divisor })
    case 'invalid_key':
    case 'invalid_element':
      return fault('not_allowed')
  }
}

function tooSmall(origin: string, min: number): Fault {
  if (origin === 'string') return min === 1 ? fault('missing') : fault('too_short', { min })
  return origin === 'array' ? fault('too_few', { min }) : fault('too_low', { min })
}

function tooBig(origin: string, max: number): Fault {
  if (origin === 'string') return fault('too_long', { max })
  return origin === 'array' ? fault('too_many', { max }) : fault('too_high', { max })
}

/** Own checks of shapes have their fault as `params`. */
const isFault = (params: object | undefined): params is Fault =>
  params !== undefined && 'code' in params && Object.hasOwn(faultCodes, params.code as PropertyKey)

import { z } from 'zod'
import { fault } from '../texts/faults.ts'

/** Whether a text has at most `limit` characters, counted as code points like PostgreSQL and JSON Schema do. */
export function withinLength(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit)
}

export function characters(min: number, max: number, text = z.string()): z.ZodString {
  const rule = min === 0 ? `must have at most ${max} characters` : `must be ${min} to ${max} characters`
  return text
    .refine((value) => value.length >= min && withinLength(value, max), {
      error: rule,
      params: min === 0 ? fault('too_long', { max }) : fault('wrong_length', { min, max }),
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
}

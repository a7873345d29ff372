import { z } from 'zod'

/** Whether a text has at most `limit` characters, counted as code points like PostgreSQL and JSON Schema do. */
export function withinLength(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit)
}

export function characters(least: number, most: number, text = z.string()): z.ZodString {
  const rule = least === 0 ? `must have at most ${most} characters` : `must be ${least} to ${most} characters`
  return text
    .refine((value) => value.length >= least && withinLength(value, most), rule)
    .meta({ ...(least > 0 && { minLength: least }), maxLength: most })
}

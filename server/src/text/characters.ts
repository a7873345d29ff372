import { z } from 'zod'

/** Whether a text has at most so many characters, as people, PostgreSQL and JSON Schema count them: an emoji is not two. */
export function withinLength(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit)
}

/** A text of so many characters. */
export function characters(least: number, most: number, text = z.string()): z.ZodString {
  const rule = least === 0 ? `must have at most ${most} characters` : `must be ${least} to ${most} characters`
  return text
    .refine((value) => value.length >= least && withinLength(value, most), rule)
    .meta({ ...(least > 0 && { minLength: least }), maxLength: most })
}

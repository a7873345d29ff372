import { z } from 'zod'

const value = z.union([z.string(), z.number()])
const part = z.strictObject({ code: z.string(), parameters: z.record(z.string(), value) })

/** A result of a check in the JSON API. */
export const findingShape = z.strictObject({
  name: z.string(),
  state: z.enum(['ok', 'off', 'note', 'problem']),
  says: z.string(),
  advice: z.string().nullable(),
  check: z.string().describe('The first part of the name'),
  subject: z.string().nullable().describe('The second part of the name: what was checked'),
  message: z
    .strictObject({
      code: z.string(),
      parameters: z.record(z.string(), z.union([z.string(), z.number(), z.array(part)])),
    })
    .describe('The content of `says` and `advice`, for texts in other languages'),
})

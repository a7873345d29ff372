import { z } from 'zod'
import { purposes } from './challenge.queries.ts'

export const challengeShape = z.object({
  kind: z.string().max(40),
  purpose: z.enum(purposes),
  address: z.string().max(128).optional(),
  chainId: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
})

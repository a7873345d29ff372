import { serverApi as texts } from '../texts/index.ts'

const DAY = 24 * 60 * 60 * 1000

/** For a select: when a new token ends. */
export const expiryChoices = [
  { value: 'never', label: texts.tokens.expiries.never },
  ...(['30', '90', '365'] as const).map((days) => ({ value: days, label: texts.tokens.expiries[days] })),
]

/** The member of the request that says so; none for a token without an end. */
export function expiryAfter(days: string): { expiresAt?: string } {
  return days === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(days) * DAY).toISOString() }
}

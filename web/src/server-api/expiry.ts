import { serverApi as texts } from '../texts/index.ts'

const DAY = 24 * 60 * 60 * 1000

/** The choices for the lifetime of a new token. */
export const expiryChoices = [
  { value: 'never', label: texts.tokens.expiries.never },
  ...(['30', '90', '365'] as const).map((days) => ({ value: days, label: texts.tokens.expiries[days] })),
]

/** The field `expiresAt` of the request; absent for a token without an end. */
export function expiryAfter(days: string): { expiresAt?: string } {
  return days === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(days) * DAY).toISOString() }
}

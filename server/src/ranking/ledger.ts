import { createHash } from 'node:crypto'

/**
 * The origin of a change of points: `award` from the ingest API or an operator, `import` from a file or batch of totals or
 * awards, `quest` from a claimed reward, `availability` and `expiry` of an award at their times, `reversal` of an earlier
 * change, `rule` the points of a rule, `opening` a balance from before the ledger, `erasure` of a person, `removal` with a deleted sprint.
 */
export const ledgerSources = [
  'opening',
  'award',
  'import',
  'quest',
  'rule',
  'availability',
  'expiry',
  'reversal',
  'erasure',
  'removal',
] as const

export type LedgerSource = (typeof ledgerSources)[number]

/** Prefix of the name that replaces an erased address. */
export const ERASED = 'erased:'

/** The name of a member in digests of the ledger, which replaces the address when the person is erased. */
export const saltedName = (address: string, salt: Buffer): string =>
  `${ERASED}${createHash('sha256').update(salt).update(address).digest('hex').slice(0, 32)}`

/** The points of a member before and after a change; undefined if the member is not on the board. */
export interface Change {
  before: number | undefined
  after: number
}

/** A month in UTC, which has one partition of the ledger. */
export interface Month {
  partition: string
  from: Date
  /** Exclusive. */
  to: Date
}

export function monthOf(time: Date): Month {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()]
  const name = `${String(year).padStart(4, '0')}_${String(month + 1).padStart(2, '0')}`
  return {
    partition: `ledger.entries_${name}`,
    from: new Date(Date.UTC(year, month, 1)),
    to: new Date(Date.UTC(year, month + 1, 1)),
  }
}

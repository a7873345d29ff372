import type { Random } from '../random.ts'
import type { InstallationSecret } from './installation-secret.ts'
import { seal, sealedUnder, unseal } from './sealing.ts'

/** The names of the kinds of encrypted values, for the operator. */
export type SealedKind = 'signing keys' | 'pairwise keys' | 'webhook secrets' | 'sources'

/** A kind of values that are encrypted in the database. */
export interface SealedStore {
  name: SealedKind
  purpose: string
  list: () => Promise<SealedValue[]>
}

export interface SealedValue {
  /** The name for the operator. */
  name: string
  label: string
  sealed: Buffer
  /** The plain value, if it was stored before such values were encrypted. */
  clear?: Buffer
  /** Replaces the stored value, unless it has changed since it was listed. */
  replace: (sealed: Buffer) => Promise<void>
}

export interface SealedCount {
  name: SealedKind
  /** Encrypted with the current secret. */
  current: number
  /** Encrypted with another accepted secret, or not encrypted. */
  other: number
  /** Encrypted with an unknown secret. */
  lost: string[]
}

/** Counts the values of a store by secret; with `reseal`, first encrypts them with the current secret. */
export async function countSealed(
  { secret, random }: { secret: InstallationSecret; random: Random },
  { name, purpose, list }: SealedStore,
  { reseal }: { reseal: boolean },
): Promise<SealedCount> {
  const keys = secret.keys(purpose)
  const count: SealedCount = { name, current: 0, other: 0, lost: [] }
  for (const { name: which, label, sealed, clear, replace } of await list()) {
    const under = clear ? 'other' : sealedUnder(keys, label, sealed)
    if (under === 'none') count.lost.push(which)
    else if (under === 'other' && !reseal) count.other++
    else {
      if (under === 'other')
        await replace(seal(secret.key(purpose), label, clear ?? unseal(keys, label, sealed), random))
      count.current++
    }
  }
  return count
}

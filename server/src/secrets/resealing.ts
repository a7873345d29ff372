import type { Random } from '../random.ts'
import type { InstallationSecret } from './installation-secret.ts'
import { seal, sealedUnder, unseal } from './sealing.ts'

/** Values of one kind that stand sealed in the database. */
export interface SealedStore {
  /** What they are, for the operator. */
  name: string
  /** The purpose of the key that seals them. */
  purpose: string
  list: () => Promise<SealedValue[]>
}

export interface SealedValue {
  /** Which one it is, for the operator. */
  name: string
  label: string
  sealed: Buffer
  /** The value, where it stands in clear because it was stored before such values were sealed. */
  clear?: Buffer
  /** Puts the value, sealed anew, in the place of the one that was listed, if that still stands there. */
  replace: (sealed: Buffer) => Promise<void>
}

export interface SealedCount {
  name: string
  /** Sealed under the secret that seals now. */
  current: number
  /** Sealed under another secret that is accepted, or in clear. */
  other: number
  /** Sealed under a secret that is not known here. */
  lost: string[]
}

/** How the values of a store are sealed; with `reseal`, those under another secret are sealed anew first. */
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

import type { RequestChallenge, Challenge } from '../api/challenges.ts'

export interface Proven {
  challenge: Challenge
  proof: object
}

/** A wallet in this browser that can prove an identity of one kind. */
export interface InstalledWallet {
  /** An ID that is the same at the next visit. */
  id: string
  kind: string
  name: string
  /** A data: image. Wallets with an icon URL are shown without an icon. */
  icon: string | undefined
  /** Requests a challenge and a signature of it. @throws WalletFailure, ApiFailure, or an error of the wallet */
  prove(ask: RequestChallenge): Promise<Proven>
}

export function safeIcon(icon: unknown): string | undefined {
  return typeof icon === 'string' && /^data:image\/(?:png|jpeg|webp|gif|svg\+xml)[;,]/i.test(icon.trim())
    ? icon.trim()
    : undefined
}

export const toHex = (bytes: Uint8Array) => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** A wallet as it registers itself, with its capabilities listed by feature name. */
export interface StandardWallet {
  name: string
  icon?: string
  chains: readonly string[]
  features: Readonly<Record<string, unknown>>
}

import type { Ask, Challenge } from '../api/challenges.ts'

export interface Proven {
  challenge: Challenge
  proof: object
}

/** A wallet in this browser that can prove an identity of one kind. */
export interface InstalledWallet {
  /** The same at the next visit. */
  id: string
  kind: string
  name: string
  /** A data: image; wallets that bring an address of one elsewhere are shown without it. */
  icon: string | undefined
  /** Asks the wallet, and the service for what it has to sign. @throws WalletFailure, ApiFailure, or what the wallet throws */
  prove(ask: Ask): Promise<Proven>
}

export function safeIcon(icon: unknown): string | undefined {
  return typeof icon === 'string' && /^data:image\/(?:png|jpeg|webp|gif|svg\+xml)[;,]/i.test(icon.trim())
    ? icon.trim()
    : undefined
}

export const toHex = (bytes: Uint8Array) => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

import type { Challenge, SignInInput } from '../api/challenges.ts'
import { type InstalledWallet, safeIcon, type StandardWallet, toHex } from './installed-wallet.ts'
import { WalletFailure } from './wallet-failure.ts'

/** Keys, signatures and addresses are objects of the wallet's own SDK; these members they have in every version. */
interface Serialisable {
  bcsToHex?(): { toString(): string }
  toUint8Array?(): Uint8Array
  publicKey?: unknown
  publicKeys?: unknown
  threshold?: unknown
}

interface AptosAccount {
  address: { toString(): string }
  publicKey: Serialisable
}

type Answer<T> = { status: 'Approved'; args: T } | { status: 'Rejected' }

interface AptosFeatures {
  'aptos:connect'?: { connect(): Promise<Answer<AptosAccount>> }
  'aptos:network'?: { network(): Promise<{ chainId: number; name: string }> }
  'aptos:signIn'?: {
    signIn(input: SignInInput): Promise<Answer<{ account: AptosAccount; signature: Serialisable; type?: string }>>
  }
  'aptos:signMessage'?: {
    signMessage(input: {
      message: string
      nonce: string
      address: boolean
      application: boolean
      chainId: boolean
    }): Promise<Answer<{ signature: Serialisable }>>
  }
}

const CHAIN_IDS: Readonly<Record<string, number>> = { 'aptos:mainnet': 1, 'aptos:testnet': 2 }

/** `aptos:signIn` (AIP-116) where the wallet has it, else `aptos:signMessage` (AIP-62) over the same text. */
export function aptosWallet({ name, icon, features }: StandardWallet): InstalledWallet | undefined {
  const able = features as AptosFeatures
  const signIn = able['aptos:signIn']
  const connect = able['aptos:connect']
  const signMessage = able['aptos:signMessage']
  const base = { id: `AptosAddress:${name}`, kind: 'AptosAddress', name, icon: safeIcon(icon) }
  if (signIn)
    return {
      ...base,
      async prove(ask) {
        const challenge = await ask()
        if (!challenge.signIn) throw new WalletFailure('unsupported')
        const { account, signature } = approved(await signIn.signIn(challenge.signIn))
        return { challenge, proof: proofOf(account, signature) }
      },
    }
  if (!connect || !signMessage) return undefined
  return {
    ...base,
    async prove(ask) {
      const account = approved(await connect.connect())
      const challenge = await ask({ address: account.address.toString() })
      await requireNetwork(able, challenge)
      const { signature } = approved(
        await signMessage.signMessage({
          message: challenge.message ?? '',
          nonce: challenge.signIn?.nonce ?? '',
          address: true,
          application: true,
          chainId: true,
        }),
      )
      return { challenge, proof: proofOf(account, signature) }
    },
  }
}

function approved<T>(answer: Answer<T>): T {
  if (answer.status !== 'Approved') throw new WalletFailure('rejected')
  return answer.args
}

/** `signMessage` signs the chain of the wallet, so the wallet has to be on the expected network. */
async function requireNetwork(able: AptosFeatures, { signIn }: Challenge): Promise<void> {
  const wanted = CHAIN_IDS[signIn?.chainId ?? '']
  const network = await able['aptos:network']?.network()
  if (wanted !== undefined && network && network.chainId !== wanted)
    throw new WalletFailure('wrong-network', (signIn?.chainId ?? '').replace('aptos:', ''))
}

function proofOf({ address, publicKey }: AptosAccount, signature: Serialisable) {
  return {
    address: address.toString(),
    scheme: schemeOf(publicKey),
    publicKey: hexOf(publicKey),
    signature: hexOf(signature),
  }
}

/** Detects the scheme by the parts of the key, because class names do not survive the build of a wallet. */
function schemeOf(key: Serialisable): string {
  if (Array.isArray(key.publicKeys)) return 'threshold' in key ? 'multi_ed25519' : 'multi_key'
  return key.publicKey === undefined ? 'ed25519' : 'single_key'
}

function hexOf(value: Serialisable): string {
  const hex = value.bcsToHex?.().toString()
  if (hex !== undefined) return hex
  const bytes = value.toUint8Array?.()
  if (!bytes) throw new WalletFailure('unsupported')
  return toHex(bytes)
}

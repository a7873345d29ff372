import type { SignInInput } from '../api/challenges.ts'
import { type InstalledWallet, safeIcon, type StandardWallet, toHex } from './installed-wallet.ts'
import { WalletFailure } from './wallet-failure.ts'

interface SolanaAccount {
  address: string
  chains?: readonly string[]
}

interface SolanaFeatures {
  'standard:connect'?: { connect(): Promise<{ accounts: readonly SolanaAccount[] }> }
  'solana:signIn'?: {
    signIn(input: SignInInput): Promise<readonly { account: SolanaAccount; signature: Uint8Array }[]>
  }
  'solana:signMessage'?: {
    signMessage(input: { account: SolanaAccount; message: Uint8Array }): Promise<readonly { signature: Uint8Array }[]>
  }
}

/** Sign In With Solana where the wallet has it (one prompt), else its text as a plain message. */
export function solanaWallet({ name, icon, features }: StandardWallet): InstalledWallet | undefined {
  const able = features as SolanaFeatures
  const signIn = able['solana:signIn']
  const connect = able['standard:connect']
  const signMessage = able['solana:signMessage']
  const base = { id: `SolanaAddress:${name}`, kind: 'SolanaAddress', name, icon: safeIcon(icon) }
  if (signIn)
    return {
      ...base,
      async prove(ask) {
        const challenge = await ask()
        if (!challenge.signIn) throw new WalletFailure('unsupported')
        const [answer] = await signIn.signIn(challenge.signIn)
        if (!answer) throw new WalletFailure('no-account')
        return { challenge, proof: { address: answer.account.address, signature: toHex(answer.signature) } }
      },
    }
  if (!connect || !signMessage) return undefined
  return {
    ...base,
    async prove(ask) {
      const { accounts } = await connect.connect()
      const account = accounts.find(({ chains }) => chains?.some((chain) => chain.startsWith('solana:')) ?? true)
      if (!account) throw new WalletFailure('no-account')
      const challenge = await ask({ address: account.address })
      const message = new TextEncoder().encode(challenge.message)
      const [answer] = await signMessage.signMessage({ account, message })
      if (!answer) throw new WalletFailure('no-answer')
      return { challenge, proof: { address: account.address, signature: toHex(answer.signature) } }
    },
  }
}

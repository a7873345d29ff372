import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { ChallengeKind } from '../challenge-kind.ts'
import { type DualAddressChain, createDualAddressChallenge, verifyDualAddress } from './cosmos-or-evm.ts'

const sei: DualAddressChain = {
  kind: 'SeiAddress',
  accountsOf: 'Sei',
  prefix: 'sei',
  chainId: 'pacific-1',
  evmChainId: 1329,
  hash: sha256,
  accountOf: (publicKey) => ripemd160(sha256(publicKey)),
}

/** EIP-4361 on Sei's EVM, or ADR-036 with the older sei1 address. The subject is the 0x address of the key. */
export const seiAddress: ChallengeKind = {
  kind: 'SeiAddress',
  label: 'Sei wallet',
  browser: { way: 'wallet', discovery: 'eip6963 or keplr', needs: ['address'] },
  challenge: async (context, input) => createDualAddressChallenge(sei, context, input),
  async verify(_context, kindData, proof) {
    const { evm, bech32 } = verifyDualAddress(sei, kindData, proof)
    return { identity: { subject: evm, username: bech32, aliases: [bech32] } }
  },
}

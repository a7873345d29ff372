import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { ChallengeKind } from '../challenge-kind.ts'
import { type DualAddressChain, createDualAddressChallenge, verifyDualAddress } from './cosmos-or-evm.ts'

const injective: DualAddressChain = {
  kind: 'InjectiveAddress',
  accountsOf: 'Injective',
  prefix: 'inj',
  chainId: 'injective-1',
  evmChainId: 1776,
  hash: keccak_256,
  accountOf: (publicKey) => keccak_256(secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1)).subarray(12),
}

/**
 * ADR-036 with ethsecp256k1 (Keplr and similar wallets), or EIP-4361 with the 0x address. The subject is the inj1
 * address.
 */
export const injectiveAddress: ChallengeKind = {
  kind: 'InjectiveAddress',
  label: 'Injective wallet',
  browser: { way: 'wallet', discovery: 'eip6963 or keplr', needs: ['address'] },
  challenge: async (context, input) => createDualAddressChallenge(injective, context, input),
  async verify(_context, kindData, proof) {
    const { bech32, evm } = verifyDualAddress(injective, kindData, proof)
    return { identity: { subject: bech32, username: null, aliases: [evm] } }
  },
}

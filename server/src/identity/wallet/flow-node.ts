import { z } from 'zod'
import { requestUpstream, upstreamUnavailable } from '../request-upstream.ts'
import { identityError } from '../identity-error.ts'
import type { Services } from '../../services.ts'

export interface FlowKey {
  index: number
  /** 64 bytes: x and y. */
  publicKey: Uint8Array
  curve: 'P-256' | 'secp256k1'
  hash: 'sha2-256' | 'sha3-256'
  weight: number
  revoked: boolean
}

const NODE = 'The Flow access node'
// Nodes write ECDSA_P256, the published interface ECDSAP256; both are in use.
const curves: Record<string, FlowKey['curve']> = { ECDSAP256: 'P-256', ECDSASECP256K1: 'secp256k1' }
const hashes: Record<string, FlowKey['hash']> = { SHA2256: 'sha2-256', SHA3256: 'sha3-256' }
const plain = (name: string) => name.toUpperCase().replaceAll('_', '')
const count = z.union([z.number(), z.string().regex(/^\d{1,10}$/)]).transform(Number)

const accountShape = z.object({
  keys: z.array(
    z.object({
      index: count,
      public_key: z.string().regex(/^(?:0x)?[0-9a-fA-F]{128}$/),
      signing_algorithm: z.string(),
      hashing_algorithm: z.string(),
      weight: count,
      revoked: z.boolean(),
    }),
  ),
})

/**
 * The account's keys at the latest sealed block. @throws ApiError unavailable, bad_signature if the account does not
 * exist
 */
export async function keysOfFlowAccount(services: Services, node: string, address: string): Promise<FlowKey[]> {
  const { status, json } = await requestUpstream(services, NODE, {
    url: `${node}/v1/accounts/${address}?block_height=sealed&expand=keys`,
  })
  if (status === 404) throw identityError('bad_signature', 'The account does not exist on Flow', 'address')
  const account = status === 200 ? accountShape.safeParse(json).data : undefined
  if (!account) throw upstreamUnavailable(NODE)
  return account.keys.flatMap((key) => {
    const curve = curves[plain(key.signing_algorithm)]
    const hash = hashes[plain(key.hashing_algorithm)]
    if (!curve || !hash) return [] // this key cannot sign for an account
    const publicKey = Uint8Array.from(Buffer.from(key.public_key.replace(/^0x/, ''), 'hex'))
    return [{ index: key.index, publicKey, curve, hash, weight: key.weight, revoked: key.revoked }]
  })
}

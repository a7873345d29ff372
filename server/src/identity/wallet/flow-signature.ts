import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { sha3_256 } from '@noble/hashes/sha3.js'
import type { FlowKey } from './flow-node.ts'

const TAG_BYTES = 32

/**
 * The bytes that an FCL wallet signs for `fcl_wallet/account-proof`: a tag and the RLP list [appIdentifier, address,
 * nonce].
 */
export function accountProofBytes(appIdentifier: string, address: string, nonceHex: string): Uint8Array {
  const items = [
    Buffer.from(appIdentifier),
    Buffer.from(address.replace(/^0x/, '').padStart(16, '0'), 'hex'),
    Buffer.from(nonceHex, 'hex'),
  ]
  return Buffer.concat([tag('FCL-ACCOUNT-PROOF-V0.0'), rlpList(items)])
}

/** The bytes that `fcl.currentUser.signUserMessage` signs. */
export function userSignatureBytes(text: string): Uint8Array {
  return Buffer.concat([tag('FLOW-V0.0-user'), Buffer.from(text)])
}

/** Flow allows high s. */
export function isFlowSignature(key: FlowKey, signature: Uint8Array, bytes: Uint8Array): boolean {
  if (signature.length !== 64) return false
  const curve = key.curve === 'P-256' ? p256 : secp256k1
  const hash = key.hash === 'sha2-256' ? sha256(bytes) : sha3_256(bytes)
  try {
    return curve.verify(signature, hash, Buffer.concat([Buffer.from([4]), key.publicKey]), {
      prehash: false,
      lowS: false,
    })
  } catch {
    return false // the library throws plain errors for invalid points and scalars
  }
}

function tag(text: string): Buffer {
  const bytes = Buffer.alloc(TAG_BYTES)
  bytes.write(text)
  return bytes
}

function rlpList(items: readonly Buffer[]): Buffer {
  const body = Buffer.concat(items.flatMap((item) => [rlpHead(0x80, item), item]))
  return Buffer.concat([rlpHead(0xc0, body), body])
}

function rlpHead(offset: number, content: Buffer): Buffer {
  const [first] = content
  if (offset === 0x80 && content.length === 1 && first !== undefined && first < 0x80) return Buffer.alloc(0)
  if (content.length <= 55) return Buffer.from([offset + content.length])
  const length = Buffer.from(content.length.toString(16).padStart(4, '0'), 'hex')
  const short = length[0] === 0 ? length.subarray(1) : length
  return Buffer.concat([Buffer.from([offset + 55 + short.length]), short])
}

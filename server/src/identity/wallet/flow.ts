import { createHash } from 'node:crypto'
import { z } from 'zod'
import { identityError } from '../identity-error.ts'
import type { ChallengeKind } from '../challenge-kind.ts'
import { readFlowAddress } from './flow-address.ts'
import { type FlowKey, keysOfFlowAccount } from './flow-node.ts'
import { accountProofBytes, isFlowSignature, userSignatureBytes } from './flow-signature.ts'
import { readHex } from './proof-bytes.ts'
import { fieldsShape, messageFields, signInMessage } from './sign-in-message.ts'

const kindDataShape = z.object({ fields: fieldsShape, address: z.string().optional() })
const MAX_SIGNATURES = 50
const proofShape = z.object({
  address: z.string().max(128),
  signatures: z
    .array(
      z.looseObject({ addr: z.string().max(128).optional(), keyId: z.number().int().min(0), signature: z.string() }),
    )
    .min(1)
    .max(MAX_SIGNATURES),
})
/** The sum of key weights that an account needs to sign. */
const FULL_WEIGHT = 1000

/** FCL account proof, or a user signature over the text. The current keys of the account come from an access node. */
export const flowAddress: ChallengeKind = {
  kind: 'FlowAddress',
  label: 'Flow wallet',
  browser: { way: 'wallet', discovery: 'fcl', needs: [] },
  off: ({ identity }) => (identity.flow.node === undefined ? 'QUESTBOARD_FLOW_NODE is not set' : undefined),
  async challenge(context, input) {
    const { network } = context.services.config.identity.flow
    const fields = messageFields(context, 'FlowAddress', `flow:${network}`)
    const address = input.address === undefined ? undefined : readFlowAddress(network, input.address)
    return {
      kindData: { fields, address },
      shown: {
        flow: { appIdentifier: fields.domain, nonce: nonceOf(fields) },
        ...(address !== undefined && { message: signInMessage('Flow', { ...fields, address }) }),
      },
    }
  },
  async verify({ services: services }, kindData, proof) {
    const { fields, address: asked } = kindDataShape.parse(kindData)
    const { network, node } = services.config.identity.flow
    const parsed = proofShape.safeParse(proof)
    if (!parsed.success)
      throw identityError(
        'bad_request',
        'signatures must be composite signatures {addr, keyId, signature}',
        'signatures',
      )
    const address = readFlowAddress(network, parsed.data.address)
    if (asked !== undefined && asked !== address)
      throw identityError('address_mismatch', 'The challenge was made for another address', 'address')
    if (node === undefined) throw identityError('unavailable', 'QUESTBOARD_FLOW_NODE is not set')
    const signatures = parsed.data.signatures.map(({ addr, keyId, signature }) => {
      if (addr !== undefined && readFlowAddress(network, addr) !== address)
        throw identityError('address_mismatch', 'A signature is of another address', 'signatures')
      return { keyId, signature: readHex(signature, 'signatures') }
    })
    const keys = await keysOfFlowAccount(services, node, address)
    const texts = [
      accountProofBytes(fields.domain, address, nonceOf(fields)),
      userSignatureBytes(signInMessage('Flow', { ...fields, address })),
    ]
    if (!texts.some((bytes) => signFor(keys, signatures, bytes)))
      throw identityError(
        'bad_signature',
        'The signatures are not those of enough keys of this account over the challenge',
      )
    return { identity: { subject: address, username: null } }
  },
}

/**
 * Whether the signatures are valid, from different keys of the account that are not revoked, and reach the full weight.
 */
function signFor(
  keys: readonly FlowKey[],
  signatures: readonly { keyId: number; signature: Uint8Array }[],
  bytes: Uint8Array,
): boolean {
  if (new Set(signatures.map(({ keyId }) => keyId)).size !== signatures.length) return false
  let weight = 0
  for (const { keyId, signature } of signatures) {
    const key = keys.find(({ index }) => index === keyId)
    if (!key || key.revoked || !isFlowSignature(key, signature, bytes)) return false
    weight += key.weight
  }
  return weight >= FULL_WEIGHT
}

/** An account proof cannot contain a time or a URI, so its nonce is a hash of the whole challenge: 32 bytes in hex. */
function nonceOf(fields: z.infer<typeof fieldsShape>): string {
  const ordered = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(ordered)).digest('hex')
}

import { sha3_256 } from '@noble/hashes/sha3.js'
import { z } from 'zod'
import { canonicalAptosAddress } from '../../addresses/addresses.ts'
import { identityError } from '../identity-error.ts'
import type { ChallengeKind } from '../challenge-kind.ts'
import { type AptosKey, aptosSchemes, readAptosKey } from './aptos-keys.ts'
import { authenticationKeyOf } from './aptos-node.ts'
import { readHex } from './proof-bytes.ts'
import { fieldsShape, type MessageFields, messageFields, signInInput } from './sign-in-message.ts'

const CHAIN_IDS = { mainnet: 1, testnet: 2 } as const
const SIGN_IN_PREFIX = sha3_256(new TextEncoder().encode('SIGN_IN_WITH_APTOS::'))

const kindDataShape = z.object({
  fields: fieldsShape,
  address: z.string().optional(),
  origin: z.string(),
  chainId: z.number(),
})
const proofShape = z.object({
  address: z.string().max(128),
  scheme: z.enum(aptosSchemes, `must be one of ${aptosSchemes.join(', ')}`),
  publicKey: z.string(),
  signature: z.string(),
})

/** `aptos:signIn` (AIP-116), or `aptos:signMessage` (AIP-62) over the same text. */
export const aptosAddress: ChallengeKind = {
  kind: 'AptosAddress',
  label: 'Aptos wallet',
  browser: { way: 'wallet', discovery: 'wallet-standard', needs: [] },
  async challenge(context, input) {
    const { network } = context.services.config.identity.aptos
    const fields = messageFields(context, 'AptosAddress', `aptos:${network}`)
    const address = input.address === undefined ? undefined : readAptosAddress(input.address)
    return {
      kindData: { fields, address, origin: context.site.origin, chainId: CHAIN_IDS[network] },
      shown: {
        signIn: signInInput(fields, address),
        ...(address !== undefined && { message: aptosText({ ...fields, address }) }),
      },
    }
  },
  async verify({ services: services }, kindData, proof) {
    const challenge = kindDataShape.parse(kindData)
    const parsed = proofShape.safeParse(proof)
    if (!parsed.success) {
      const field = String(parsed.error.issues[0]?.path[0] ?? 'proof')
      throw identityError('bad_request', `${field} is missing or cannot be used`, field)
    }
    const address = readAptosAddress(parsed.data.address)
    if (challenge.address !== undefined && challenge.address !== address)
      throw identityError('address_mismatch', 'The challenge was made for another address', 'address')
    const key = readAptosKey(parsed.data.scheme, readHex(parsed.data.publicKey, 'publicKey'))
    const signature = readHex(parsed.data.signature, 'signature')
    const texts = signableTexts(challenge, address)
    if (!texts.some((bytes) => key.verify(signature, bytes)))
      throw identityError('bad_signature', 'The signature is not one of this key over the text of the challenge')
    await requireKeyOf(services, address, key)
    return { identity: { subject: address, username: null } }
  },
}

/** Requires the account's current key. Without a node, only the initial key can be checked. */
async function requireKeyOf(
  services: Parameters<ChallengeKind['verify']>[0]['services'],
  address: string,
  key: AptosKey,
): Promise<void> {
  const { node } = services.config.identity.aptos
  const current = node === undefined ? address : await authenticationKeyOf(services, node, address)
  if (current !== key.authenticationKey)
    throw identityError('address_mismatch', 'The key is not the key of this address', 'publicKey')
}

/** The text of `aptos:signIn`: CAIP-122 with the chain id last, which is the order of @aptos-labs/siwa. */
function aptosText(fields: MessageFields): string {
  return [
    `${fields.domain} wants you to sign in with your Aptos account:`,
    fields.address,
    '',
    fields.statement,
    '',
    `URI: ${fields.uri}`,
    'Version: 1',
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    `Expiration Time: ${fields.expiresAt}`,
    `Chain ID: ${fields.chainId}`,
  ].join('\n')
}

function signableTexts({ fields, origin, chainId }: z.infer<typeof kindDataShape>, address: string): Uint8Array[] {
  const text = aptosText({ ...fields, address })
  // Wallets send either the origin or its host as the application.
  const wrapped = [origin, fields.domain].map((application) =>
    [
      'APTOS',
      `address: ${address}`,
      `application: ${application}`,
      `chainId: ${chainId}`,
      `message: ${text}`,
      `nonce: ${fields.nonce}`,
    ].join('\n'),
  )
  return [Buffer.concat([SIGN_IN_PREFIX, Buffer.from(text)]), ...wrapped.map((message) => Buffer.from(message))]
}

function readAptosAddress(text: string): string {
  const address = canonicalAptosAddress(text)
  if (address === undefined)
    throw identityError('invalid_address', 'address must be 0x and 1 to 64 hex digits', 'address')
  return address
}

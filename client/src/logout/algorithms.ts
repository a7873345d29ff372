import type { Jwt } from './jwt.ts'
import type { LogoutAlgorithm } from './options.ts'

/** A key of a JSON Web Key Set (RFC 7517). */
export type PublicKey = Record<string, unknown>

interface Algorithm {
  kty: string
  /** The members of a public key; no others are imported. */
  members: readonly string[]
  parameters: RsaHashedImportParams & EcKeyImportParams & RsaPssParams & EcdsaParams
}

const SHA_256 = { hash: 'SHA-256', namedCurve: '', saltLength: 32 }
const algorithms = new Map<unknown, Algorithm>([
  ['RS256', { kty: 'RSA', members: ['n', 'e'], parameters: { ...SHA_256, name: 'RSASSA-PKCS1-v1_5' } }],
  ['PS256', { kty: 'RSA', members: ['n', 'e'], parameters: { ...SHA_256, name: 'RSA-PSS' } }],
  ['ES256', { kty: 'EC', members: ['crv', 'x', 'y'], parameters: { ...SHA_256, name: 'ECDSA', namedCurve: 'P-256' } }],
])

/** RFC 7518 3.3. */
const MIN_RSA_BITS = 2_048

/** Whether a key is of the algorithm, and may verify signatures. */
export function isKeyFor(key: PublicKey, algorithm: LogoutAlgorithm): boolean {
  const { kty, alg = algorithm, use = 'sig' } = key
  return kty === algorithms.get(algorithm)?.kty && alg === algorithm && use === 'sig'
}

/** False also if the key cannot be used. */
export async function isSignedBy(
  key: PublicKey,
  algorithm: LogoutAlgorithm,
  { signed, signature }: Pick<Jwt, 'signed' | 'signature'>,
): Promise<boolean> {
  const { kty, members, parameters } = algorithms.get(algorithm) as Algorithm
  const jwk = { kty, ...Object.fromEntries(members.map((name) => [name, key[name]])) }
  try {
    const imported = await crypto.subtle.importKey('jwk', jwk, parameters, false, ['verify'])
    const { modulusLength = MIN_RSA_BITS } = imported.algorithm as Partial<RsaKeyAlgorithm>
    return modulusLength >= MIN_RSA_BITS && (await crypto.subtle.verify(parameters, imported, signature, signed))
  } catch {
    return false
  }
}

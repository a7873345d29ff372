import { sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { Services } from '../services.ts'
import { currentSigningKey, SIGNING_ALGORITHM } from './signing-keys.ts'

const signOnThreadPool = promisify(sign)

/** Signs a JWT (RFC 7519) with the current published key. @param type the header `typ` */
export async function signJwt(services: Services, type: string, claims: object): Promise<string> {
  const { keyId, key } = await currentSigningKey(services)
  const signed = `${base64url({ alg: SIGNING_ALGORITHM, kid: keyId, typ: type })}.${base64url(claims)}`
  // RS256 (RFC 7518 3.3). Signs on the thread pool, because the RSA signature is most of the cost of a redemption.
  const signature = await signOnThreadPool('sha256', Buffer.from(signed), key)
  return `${signed}.${signature.toString('base64url')}`
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { RequestChallenge, Challenge } from '../api/challenges.ts'

/** Proves an account by an existing passkey, or makes a new one. @throws WebAuthnError, DOMException, ApiFailure */
export async function provePasskey(
  ask: RequestChallenge,
  way: 'use' | 'create',
): Promise<{ challenge: Challenge; proof: object }> {
  if (!browserSupportsWebAuthn()) throw new DOMException('WebAuthn is missing', 'NotSupportedError')
  const challenge = await ask()
  const { request, creation } = challenge.webauthn ?? {}
  if (way === 'use' && request)
    return { challenge, proof: { credential: await startAuthentication({ optionsJSON: request }) } }
  if (way === 'create' && creation)
    return { challenge, proof: { credential: await startRegistration({ optionsJSON: creation }) } }
  throw new DOMException('The challenge has no passkey options', 'NotSupportedError')
}

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { findAccountName } from '../accounts/account.queries.ts'
import { identityError } from './identity-error.ts'
import type { ChallengeKind, Verified } from './challenge-kind.ts'
import { findPasskey, insertPasskey, listPasskeys, notePasskeyUse } from '../accounts/passkey.queries.ts'
import { newAccountName } from '../accounts/new-account.ts'
import { nowOf, type Services } from '../services.ts'
import type { Site } from '../settings/site.ts'

const CHALLENGE_BYTES = 32

/** Loaded at the first use, because its readers of certificates take memory of each worker. */
const webAuthn = () => import('@simplewebauthn/server')

const kindDataShape = z.object({
  challenge: z.string(),
  newAccountId: z.string().optional(),
  /** A merge accepts only existing passkeys, since the other account must exist. */
  knownOnly: z.boolean().default(false),
})

/** Checked by pattern because Node's decoder ignores characters outside the alphabet. */
const base64url = z
  .string()
  .max(40_000)
  .regex(/^[\w-]+$/)

const proofShape = z.object({
  credential: z.object({
    id: z.string().min(1).max(1400),
    rawId: z.string().max(1400),
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: base64url,
      authenticatorData: base64url.optional(),
      signature: base64url.optional(),
      attestationObject: base64url.optional(),
    }),
    clientExtensionResults: z.looseObject({}).default({}),
  }),
})

/**
 * The platform's own identity: a discoverable passkey (WebAuthn level 3). One challenge accepts either an existing
 * passkey (`webauthn.request`) or a new one (`webauthn.creation`), which creates an account or is added to one.
 */
export const serviceId: ChallengeKind = {
  kind: 'ServiceID',
  label: 'Passkey',
  browser: { way: 'passkey', discovery: 'webauthn', needs: [] },
  async challenge({ services, site, accountId, purpose }) {
    const bytes = Uint8Array.from(services.random.bytes(CHALLENGE_BYTES))
    const newAccountId = accountId === undefined ? services.random.uuid() : undefined
    const kysely = services.database.kysely
    const owner = accountId ?? newAccountId ?? ''
    const name =
      (accountId === undefined ? undefined : await findAccountName(kysely, accountId)) ?? newAccountName(owner)
    const known = accountId === undefined ? [] : await listPasskeys(kysely, accountId)
    const { generateAuthenticationOptions, generateRegistrationOptions } = await webAuthn()
    const creation = await generateRegistrationOptions({
      rpName: services.config.brand.name,
      rpID: site.hostname,
      userName: name,
      userDisplayName: name,
      userID: Uint8Array.from(Buffer.from(owner.replaceAll('-', ''), 'hex')),
      challenge: bytes,
      timeout: CHALLENGE_LIFETIME,
      attestationType: 'none',
      excludeCredentials: known.map((passkey) => ({ id: passkey.passkeyId, transports: passkey.transports })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    const request = await generateAuthenticationOptions({
      rpID: site.hostname,
      challenge: bytes,
      timeout: CHALLENGE_LIFETIME,
      userVerification: 'required',
    })
    if (purpose === 'merge')
      return { kindData: { challenge: creation.challenge, knownOnly: true }, shown: { webauthn: { request } } }
    return {
      kindData: { challenge: creation.challenge, newAccountId },
      shown: { webauthn: accountId === undefined ? { request, creation } : { creation } },
    }
  },
  async verify({ services: services, site, accountId }, kindData, proof) {
    const { challenge, newAccountId, knownOnly } = kindDataShape.parse(kindData)
    const parsed = proofShape.safeParse(proof)
    if (!parsed.success)
      throw identityError('bad_request', 'credential must be the JSON of a PublicKeyCredential', 'credential')
    const credential = parsed.data.credential as unknown
    const isNew = 'attestationObject' in parsed.data.credential.response
    if (isNew && knownOnly)
      throw identityError('bad_request', 'Prove the other account with a passkey that it has', 'credential')
    if (isNew) return registered(services, site, challenge, credential as RegistrationResponseJSON, newAccountId)
    if (accountId !== undefined)
      throw identityError('bad_request', 'Link a passkey by creating a new one', 'credential')
    return authenticated(services, site, challenge, credential as AuthenticationResponseJSON)
  },
}

async function registered(
  services: Services,
  site: Site,
  expectedChallenge: string,
  response: RegistrationResponseJSON,
  newAccountId: string | undefined,
): Promise<Verified> {
  const { verifyRegistrationResponse } = await webAuthn()
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.hostname,
    requireUserVerification: true,
  }).catch(refused)
  if (!registrationInfo) throw identityError('bad_signature', 'The passkey could not be verified')
  const { credential } = registrationInfo
  return {
    ...(newAccountId !== undefined && { newAccountId }),
    passkeyId: credential.id,
    async attach(kysely, accountId) {
      const added = await insertPasskey(kysely, {
        passkeyId: credential.id,
        accountId,
        publicKey: Buffer.from(credential.publicKey),
        signCount: credential.counter,
        transports: response.response.transports ?? [],
        createdAt: nowOf(services),
      })
      if (!added) throw identityError('bad_request', 'This passkey is registered already')
    },
  }
}

async function authenticated(
  services: Services,
  site: Site,
  expectedChallenge: string,
  response: AuthenticationResponseJSON,
): Promise<Verified> {
  const kysely = services.database.kysely
  const passkey = await findPasskey(kysely, response.id)
  if (!passkey) throw identityError('bad_signature', 'Unknown passkey; it may have been removed')
  const { verifyAuthenticationResponse } = await webAuthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.hostname,
    credential: {
      id: passkey.passkeyId,
      publicKey: Uint8Array.from(passkey.publicKey),
      counter: passkey.signCount,
    },
    requireUserVerification: true,
  }).catch(refused)
  if (!verified || !(await isWholeSignature(passkey.publicKey, response.response.signature)))
    throw identityError('bad_signature', 'The passkey could not be verified')
  await notePasskeyUse(kysely, passkey.passkeyId, authenticationInfo.newCounter, nowOf(services))
  return { accountId: passkey.accountId, passkeyId: passkey.passkeyId }
}

/** The library ignores bytes after an ECDSA signature; reject them, so that each signature has one encoding. */
async function isWholeSignature(publicKey: Buffer, signature: string): Promise<boolean> {
  const { cose, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  if (!cose.isCOSEPublicKeyEC2(decodeCredentialPublicKey(Uint8Array.from(publicKey)))) return true
  const bytes = Buffer.from(signature, 'base64url')
  // DER: a sequence, then the length of the rest in one byte (below 128 for P-256).
  return bytes[0] === 0x30 && bytes.length === 2 + (bytes[1] ?? 0)
}

function refused(error: unknown): never {
  // The library throws plain errors for each mismatch: challenge, origin, relying party, flags, signature, format.
  const reason = error instanceof Error ? error.message : 'unknown'
  throw identityError('bad_signature', `The passkey could not be verified: ${reason.slice(0, 200)}`)
}

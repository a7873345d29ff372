import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A software authenticator with one P-256 passkey that responds like a browser (WebAuthn level 3, attestation "none"). */
export interface TestPasskey {
  register(creation: { challenge: string }): unknown
  authenticate(request: { challenge: string }): unknown
}

export interface PasskeyOptions {
  origin: string
  rpId: string
  /** User present and verified by default. */
  flags?: number
}

const USER_PRESENT_AND_VERIFIED = 0x05
const ATTESTED = 0x40

export function testPasskey({ origin, rpId, flags = USER_PRESENT_AND_VERIFIED }: PasskeyOptions): TestPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  const authenticatorData = (extraFlags: number, attested: Buffer = Buffer.alloc(0)) =>
    Buffer.concat([
      createHash('sha256').update(rpId).digest(),
      Buffer.from([flags | extraFlags]),
      Buffer.alloc(4), // Synced passkeys have no counter.
      attested,
    ])
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const envelope = (response: object) => ({
    credential: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
  })
  return {
    register({ challenge }) {
      const attested = Buffer.concat([
        Buffer.alloc(16), // AAGUID
        Buffer.from([0, credentialId.length]),
        credentialId,
        coseKey(publicKey),
      ])
      const attestation = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(authenticatorData(ATTESTED, attested))],
      ])
      return envelope({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    authenticate({ challenge }) {
      const data = authenticatorData(0)
      const client = clientData('webauthn.get', challenge)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return envelope({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      })
    },
  }
}

/** RFC 9053: kty EC2, alg ES256, curve P-256. */
function coseKey(publicKey: KeyObject): Buffer {
  const jwk = publicKey.export({ format: 'jwk' })
  return cborMap([
    [Buffer.from([1]), Buffer.from([2])],
    [Buffer.from([3]), Buffer.from([0x26])],
    [Buffer.from([0x20]), Buffer.from([1])],
    [Buffer.from([0x21]), cborBytes(Buffer.from(jwk.x as string, 'base64url'))],
    [Buffer.from([0x22]), cborBytes(Buffer.from(jwk.y as string, 'base64url'))],
  ])
}

function cborMap(entries: [Buffer, Buffer][]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
}

function cborText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([cborHead(3, bytes.length), bytes])
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes])
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

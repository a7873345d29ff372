import { createHash, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { sha3_256 } from '@noble/hashes/sha3.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { base58, bech32 } from '@scure/base'
import fc from 'fast-check'
import { ApiError } from '../../src/errors.ts'
import type { ChallengeContext, ChallengeKind } from '../../src/identity/challenge-kind.ts'
import { challengeKinds } from '../../src/identity/kinds.ts'
import type { Services } from '../../src/services.ts'
import { MAIL_CODE_LENGTH } from '../../src/identity/mail-code.ts'
import { serviceId } from '../../src/identity/passkey.ts'
import { widgetHash } from '../../src/identity/social/telegram-widget.ts'
import { adr036Document } from '../../src/identity/wallet/adr036.ts'
import { accountProofBytes } from '../../src/identity/wallet/flow-signature.ts'
import { testPasskey } from '../support/oauth-passkey.ts'
import { testWallet } from '../support/oauth-wallet.ts'
import { type FlowNode, startFlowNode } from './upstreams/flow-node.ts'

/** A fixed seed, so that every run uses the same proofs. */
export const SEED = 20_261_121

/** One challenge of a kind. Only `genuine` is a valid proof. */
export interface FuzzTarget {
  name: string
  kind: ChallengeKind
  context: ChallengeContext
  kindData: unknown
  genuine: Record<string, unknown>
}

type Shown = Awaited<ReturnType<ChallengeKind['challenge']>>['shown']

const BOT_TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'
const FLOW_ADDRESS = '0x1654653399040a61'

/** Settings that turn every kind on. No test connects to the mail server. */
export function fuzzSettings(flowNode: FlowNode): Record<string, string> {
  return {
    QUESTBOARD_FLOW_NODE: flowNode.url,
    QUESTBOARD_TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    QUESTBOARD_SMTP_URL: 'smtp://127.0.0.1:9',
    QUESTBOARD_MAIL_FROM: 'no-reply@questboard.test',
  }
}

export { startFlowNode }

/** A challenge of every kind, with a valid proof. The keys are derived from the seed. */
export async function fuzzTargets(services: Services, flowNode: FlowNode): Promise<FuzzTarget[]> {
  const key = createHash('sha256').update(String(SEED)).digest()
  const evm = testWallet(key)
  const compressed = secp256k1.getPublicKey(key, true)
  const sei = bech32.encode('sei', bech32.toWords(ripemd160(sha256(compressed))))
  const edwards = ed25519.getPublicKey(key)
  const solana = base58.encode(edwards)
  const aptos = `0x${Buffer.from(sha3_256(Buffer.concat([edwards, Buffer.from([0])]))).toString('hex')}`
  const signText = (text: string) => Buffer.from(ed25519.sign(Buffer.from(text), key))
  const flow = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  flowNode.accounts.set(FLOW_ADDRESS.slice(2), [flowKey(flow.publicKey.export({ format: 'jwk' }))])
  const passkey = await knownPasskey(services)

  const answers: [
    name: string,
    kind: string,
    address: string | undefined,
    answer: (shown: Shown, kindData: unknown) => object,
  ][] = [
    ['EVMAddress', 'EVMAddress', evm.address, ({ message = '' }) => ({ signature: evm.sign(message) })],
    ['SeiAddress by 0x', 'SeiAddress', evm.address, ({ message = '' }) => ({ signature: evm.sign(message) })],
    [
      'SeiAddress by sei1',
      'SeiAddress',
      sei,
      ({ message = '' }) => ({
        publicKey: Buffer.from(compressed).toString('base64'),
        signature: Buffer.from(secp256k1.sign(adr036Document(sei, message), key)).toString('base64'),
      }),
    ],
    ['InjectiveAddress', 'InjectiveAddress', evm.address, ({ message = '' }) => ({ signature: evm.sign(message) })],
    [
      'SolanaAddress',
      'SolanaAddress',
      solana,
      ({ message = '' }) => ({ address: solana, signature: signText(message).toString('base64') }),
    ],
    [
      'AptosAddress',
      'AptosAddress',
      aptos,
      ({ message = '', signIn: input }) => ({
        address: aptos,
        scheme: 'ed25519',
        publicKey: Buffer.from(edwards).toString('hex'),
        signature: signText(
          `APTOS\naddress: ${aptos}\napplication: ${services.site.origin}\nchainId: 1\nmessage: ${message}\nnonce: ${(input as { nonce: string }).nonce}`,
        ).toString('hex'),
      }),
    ],
    [
      'FlowAddress',
      'FlowAddress',
      FLOW_ADDRESS,
      ({ flow: given }) => {
        const { appIdentifier, nonce } = given as { appIdentifier: string; nonce: string }
        const bytes = accountProofBytes(appIdentifier, FLOW_ADDRESS, nonce)
        const signature = signBytes('sha3-256', bytes, { key: flow.privateKey, dsaEncoding: 'ieee-p1363' })
        return {
          address: FLOW_ADDRESS,
          signatures: [{ addr: FLOW_ADDRESS, keyId: 0, signature: signature.toString('hex') }],
        }
      },
    ],
    [
      'ServiceID',
      'ServiceID',
      undefined,
      ({ webauthn }) => passkey.authenticate((webauthn as { request: { challenge: string } }).request) as object,
    ],
    [
      'Telegram',
      'Telegram',
      undefined,
      () => {
        const fields = { id: '5', first_name: 'Ada', auth_date: String(Math.floor(services.clock.now() / 1000)) }
        return { ...fields, hash: widgetHash(BOT_TOKEN, fields).toString('hex') }
      },
    ],
  ]
  const targets = await Promise.all(
    answers.map(async ([name, kindName, address, answer]): Promise<FuzzTarget> => {
      const kind = challengeKinds.find((candidate) => candidate.kind === kindName) as ChallengeKind
      const context = contextOf(services)
      const { kindData, shown } = await kind.challenge(context, { address })
      return { name, kind, context, kindData, genuine: { ...answer(shown, kindData) } }
    }),
  )
  return [...targets, emailTarget(services)]
}

/** Registers a passkey first, because any passkey is valid for a registration. */
async function knownPasskey(services: Services) {
  const passkey = testPasskey({ origin: services.site.origin, rpId: services.site.hostname })
  const context = contextOf(services)
  const { kindData, shown } = await serviceId.challenge(context, {})
  const { attach } = await serviceId.verify(
    context,
    kindData,
    passkey.register((shown.webauthn as { creation: { challenge: string } }).creation),
  )
  await attach?.(services.database.kysely, services.random.uuid())
  return passkey
}

/** Creates the stored challenge directly, because the normal way sends a mail. */
function emailTarget(services: Services): FuzzTarget {
  const code = '4K7D9XW2MQR5T'
  const codeHash = createHash('sha256').update(code).digest('hex')
  const kind = challengeKinds.find((candidate) => candidate.kind === 'Email') as ChallengeKind
  return {
    name: 'Email',
    kind,
    context: contextOf(services),
    kindData: { address: 'a@example.com', codeHash },
    genuine: { code },
  }
}

function contextOf(services: Services): ChallengeContext {
  const issuedAt = new Date(services.clock.now())
  return {
    services,
    site: services.site,
    nonce: 'n'.repeat(24),
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + 300_000),
    purpose: 'sign-in',
    network: '192.0.2.1',
    knownBrowser: () => Promise.resolve(undefined),
    accountId: undefined,
    statement: (kind) => `Sign in to Questboard with this ${kind}.`,
  }
}

function flowKey(jwk: { x?: string; y?: string }) {
  const point = Buffer.concat([jwk.x, jwk.y].map((part) => Buffer.from(part ?? '', 'base64url')))
  return {
    index: '0',
    public_key: `0x${point.toString('hex')}`,
    signing_algorithm: 'ECDSA_P256',
    hashing_algorithm: 'SHA3_256',
    sequence_number: '0',
    weight: '1000',
    revoked: false,
  }
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))
const sized = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array))
const coded = (raw: fc.Arbitrary<Buffer>) =>
  fc.tuple(raw, fc.constantFrom('hex', '0x', 'base64', 'base64url', 'base58')).map(([buffer, coding]) => {
    if (coding === '0x') return `0x${buffer.toString('hex')}`
    return coding === 'base58' ? base58.encode(buffer) : buffer.toString(coding)
  })
/** Any value, and values with the lengths of keys and signatures. */
const value = fc.oneof(
  fc.anything(),
  fc.string({ unit: 'binary' }),
  coded(bytes(300)),
  ...[20, 32, 33, 64, 65, 66, 96].map((length) => coded(sized(length))),
)

/** Fields that do not make a proof valid. */
const harmless = new Set(['address', 'publicKey', 'scheme', 'id', 'auth_date'])

/** Invalid proofs: random ones, and the genuine one with one change. */
export function malformedProofs({ genuine }: FuzzTarget): fc.Arbitrary<unknown> {
  const names = [
    'address',
    'signature',
    'publicKey',
    'scheme',
    'signatures',
    'credential',
    'hash',
    'code',
    'id',
    'auth_date',
  ]
  const schemes = fc.constantFrom('ed25519', 'multi_ed25519', 'single_key', 'multi_key')
  const composite = fc.record({ addr: value, keyId: fc.oneof(fc.nat(), value), signature: value }, { requiredKeys: [] })
  const random = fc.record(
    Object.fromEntries(
      names.map((name) => [
        name,
        fc.oneof(
          value,
          ...(harmless.has(name) ? [fc.constant(genuine[name])] : []),
          ...(name === 'scheme' ? [schemes] : []),
          ...(name === 'signatures' ? [fc.array(composite, { maxLength: 3 })] : []),
        ),
      ]),
    ),
    { requiredKeys: [] },
  )
  // Changes of these fields can leave a proof valid: transports and extensions of a passkey are only hints.
  const leaves = leavesOf(genuine).filter(
    (path) => !/address|addr$|f_|transports|clientExtensionResults|scheme/.test(path.join('.')),
  )
  const changed = fc
    .tuple(fc.constantFrom(...leaves), fc.oneof(textChange, fc.constant(undefined), value))
    .map(([path, change]) => changeAt(genuine, path, change))
  return fc.oneof(random, changed).filter((proof) => !isSame(proof, genuine))
}

type Change = (text: string) => string
const textChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(), fc.constantFrom(...'0123456789abcdefGHJKmnz+/=')).map(([place, letter]): Change => (text) => {
    const at = place % Math.max(1, text.length)
    return text.slice(0, at) + letter + text.slice(at + 1)
  }),
  fc.nat().map(
    (length): Change =>
      (text) =>
        text.slice(0, length % Math.max(1, text.length)),
  ),
  fc.string({ minLength: 1, maxLength: 4 }).map(
    (more): Change =>
      (text) =>
        text + more,
  ),
)

function leavesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
}

function changeAt(value: unknown, [name, ...rest]: readonly string[], change: unknown): unknown {
  if (name === undefined) return typeof change === 'function' ? (change as Change)(String(value)) : change
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>
  copy[name] = changeAt(copy[name], rest, change)
  return copy
}

/** Compares as the verifiers do: ignores the case of hex, how a code is typed, and spare bits of base64url. */
function isSame(proof: unknown, genuine: unknown): boolean {
  const plain = (one: unknown) =>
    JSON.stringify(one, (_, member: unknown) => (typeof member === 'string' ? plainText(member) : member))
  try {
    return plain(proof) === plain(genuine)
  } catch {
    return false // a value that JSON cannot represent differs from the genuine proof
  }
}

function plainText(text: string): string {
  const code = text.replace(/[\s-]/g, '').toUpperCase()
  if (code.length === MAIL_CODE_LENGTH) return code
  const trimmed = text.trim().replace(/^0x/, '')
  if (/^[0-9a-fA-F]*$/.test(trimmed)) return trimmed.toLowerCase()
  return /^[\w-]{20,}$/.test(trimmed) ? Buffer.from(trimmed, 'base64url').toString('base64url') : trimmed
}

export type Outcome = 'typed' | 'accepted' | 'untyped'

/** Verifies a proof. `typed` is an error for the client, `untyped` any other error. */
export async function outcomeOf({ kind, context, kindData }: FuzzTarget, proof: unknown): Promise<Outcome> {
  try {
    await kind.verify(context, kindData, proof)
    return 'accepted'
  } catch (error) {
    return error instanceof ApiError && error.status >= 400 && error.status <= 404 ? 'typed' : 'untyped'
  }
}

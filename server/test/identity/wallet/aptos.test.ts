import {
  Account,
  type AnyPublicKey,
  Deserializer,
  type Ed25519Account,
  type Ed25519PrivateKey,
  MultiEd25519Account,
  MultiEd25519PublicKey,
  MultiKey,
  MultiKeyAccount,
  type SingleKeyAccount,
  SigningSchemeInput,
} from '@aptos-labs/ts-sdk'
import { sha3_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readAptosKey } from '../../../src/identity/wallet/aptos-keys.ts'
import { type Browser, openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { type AptosNode, startAptosNode } from '../upstreams/aptos-node.ts'
import sdk from '../vectors/aptos_sdk.json' with { type: 'json' }
import { identitiesOf, prove, expectRejected, type WalletChallenge } from '../wallet-proof.ts'

let node: AptosNode
let service: SignInService
let withoutNode: SignInService
let browser: Browser
beforeAll(async () => {
  node = await startAptosNode()
  service = await startSignIn({ settings: { QUESTBOARD_APTOS_NODE: `${node.url}/v1` } })
  withoutNode = await startSignIn()
})
beforeEach(() => {
  service.clock.advance(61_000)
  node.broken = undefined
  browser = openBrowser(service.fastify)
})
afterAll(async () => {
  await Promise.all([service.close(), withoutNode.close(), node.close()])
})

const kind = 'AptosAddress'
const ed25519 = () => Account.generate({ scheme: SigningSchemeInput.Ed25519, legacy: true })
const single = (scheme: SigningSchemeInput.Ed25519 | SigningSchemeInput.Secp256k1Ecdsa) =>
  Account.generate({ scheme, legacy: false } as Parameters<typeof Account.generate>[0]) as SingleKeyAccount

function multiKey() {
  const signers = [single(SigningSchemeInput.Ed25519), single(SigningSchemeInput.Secp256k1Ecdsa)]
  const third = single(SigningSchemeInput.Ed25519).publicKey
  const keys = [signers[0]?.publicKey, third, signers[1]?.publicKey] as AnyPublicKey[]
  return new MultiKeyAccount({ multiKey: new MultiKey({ publicKeys: keys, signaturesRequired: 2 }), signers })
}

function multiEd25519() {
  const accounts = [ed25519(), ed25519(), ed25519()] as Ed25519Account[]
  const publicKey = new MultiEd25519PublicKey({ publicKeys: accounts.map((one) => one.publicKey), threshold: 2 })
  const signers: Ed25519PrivateKey[] = accounts.slice(1).map((one) => one.privateKey)
  return new MultiEd25519Account({ publicKey, signers })
}

const accounts = [
  ['ed25519', ed25519],
  ['single_key', () => single(SigningSchemeInput.Ed25519)],
  ['single_key', () => single(SigningSchemeInput.Secp256k1Ecdsa)],
  ['multi_key', multiKey],
  ['multi_ed25519', multiEd25519],
] as const

const addressOf = (account: Account) => account.accountAddress.toStringLong()

function signWith(scheme: string, account: Account, bytes: Uint8Array, address = addressOf(account)) {
  return {
    address,
    scheme,
    publicKey: account.publicKey.bcsToHex().toString(),
    signature: account.sign(bytes).bcsToHex().toString(),
  }
}

/** The message bytes of AIP-116. */
function signInBytes({ signIn }: WalletChallenge, address: string): Uint8Array {
  const input = signIn as typeof signIn & { issuedAt: string; expirationTime: string }
  const text = `${input.domain} wants you to sign in with your Aptos account:
${address}

${input.statement}

URI: ${input.uri}
Version: ${input.version}
Nonce: ${input.nonce}
Issued At: ${input.issuedAt}
Expiration Time: ${input.expirationTime}
Chain ID: aptos:mainnet`
  return Buffer.concat([sha3_256(Buffer.from('SIGN_IN_WITH_APTOS::')), Buffer.from(text)])
}

describe.each(accounts)('an account of scheme %s', (scheme, generate) => {
  test('signs in with aptos:signIn', async () => {
    const account = generate()
    const response = await prove(browser, { kind }, (given) =>
      signWith(scheme, account, signInBytes(given, addressOf(account))),
    )
    expect(identitiesOf(response)).toMatchObject([{ kind, subject: addressOf(account) }])
  })
  test.each(['https://id.questboard.test', 'id.questboard.test'])(
    'signs in with aptos:signMessage for the application %s',
    async (application) => {
      const account = generate()
      const address = addressOf(account)
      const response = await prove(browser, { kind, address }, ({ message, signIn }) => {
        const full = `APTOS\naddress: ${address}\napplication: ${application}\nchainId: 1\nmessage: ${message}\nnonce: ${signIn.nonce}`
        return signWith(scheme, account, Buffer.from(full))
      })
      expect(identitiesOf(response)).toMatchObject([{ subject: address }])
    },
  )
  test('rejects the key of another account', async () => {
    const [account, victim] = [generate(), generate()]
    const response = await prove(browser, { kind }, (given) =>
      signWith(scheme, account, signInBytes(given, addressOf(victim)), addressOf(victim)),
    )
    expectRejected(response, 401, 'address_mismatch')
  })
  test('rejects a signature of another text', async () => {
    const account = generate()
    const response = await prove(browser, { kind }, (given) =>
      signWith(scheme, account, Buffer.concat([signInBytes(given, addressOf(account)), Buffer.from('\n')])),
    )
    expectRejected(response, 401, 'bad_signature')
  })
})

describe('a rotated key', () => {
  test('replaces the old key if the node returns it', async () => {
    const [old, current] = [ed25519(), ed25519()]
    const address = addressOf(old)
    node.keys.set(address, addressOf(current))
    const fresh = await prove(browser, { kind }, (given) =>
      signWith('ed25519', current, signInBytes(given, address), address),
    )
    expect(identitiesOf(fresh)).toMatchObject([{ subject: address }])
    const stolen = await prove(openBrowser(service.fastify), { kind }, (given) =>
      signWith('ed25519', old, signInBytes(given, address)),
    )
    expectRejected(stolen, 401, 'address_mismatch')
  })
  test.each([
    [503, { message: 'down' }],
    [404, { message: 'no such route' }],
    [200, { authentication_key: 'junk' }],
    [200, []],
    [302, {}],
  ])('fails if the node returns %s %j', async (status, body) => {
    node.broken = { status, body }
    const account = ed25519()
    const response = await prove(browser, { kind }, (given) =>
      signWith('ed25519', account, signInBytes(given, addressOf(account))),
    )
    expectRejected(response, 503, 'unavailable')
  })
  test('counts only with a node; without one, the first key of the account counts', async () => {
    const account = ed25519()
    const response = await prove(openBrowser(withoutNode.fastify), { kind }, (given) =>
      signWith('ed25519', account, signInBytes(given, addressOf(account))),
    )
    expect(identitiesOf(response)).toHaveLength(1)
  })
})

describe('the check of signatures of several keys', () => {
  const message = Buffer.from('hello world')
  test('rejects signatures below the threshold', () => {
    const account = multiEd25519()
    const key = readAptosKey('multi_ed25519', account.publicKey.toUint8Array())
    const bytes = account.sign(message).toUint8Array()
    const one = Buffer.concat([bytes.subarray(0, 64), Buffer.from([0x40, 0, 0, 0])])
    expect(key.verify(bytes, message)).toBe(true)
    expect(key.verify(one, message)).toBe(false)
  })
  test('rejects one signature for two keys', () => {
    const account = multiEd25519()
    const key = readAptosKey('multi_ed25519', account.publicKey.toUint8Array())
    const first = account.sign(message).toUint8Array().subarray(0, 64)
    expect(key.verify(Buffer.concat([first, first, Buffer.from([0x60, 0, 0, 0])]), message)).toBe(false)
    expect(key.verify(Buffer.concat([first, first, Buffer.from([0x40, 0, 0, 0])]), message)).toBe(false)
  })
  test('rejects extra bytes', () => {
    const account = multiKey()
    const key = readAptosKey('multi_key', account.publicKey.bcsToBytes())
    const bytes = account.sign(message).bcsToBytes()
    expect(key.verify(bytes, message)).toBe(true)
    expect(key.verify(Buffer.concat([bytes, Buffer.from([0])]), message)).toBe(false)
    const inside = Buffer.concat([bytes.subarray(0, -5), Buffer.from([0]), bytes.subarray(-5)])
    expect(() => key.verify(inside, message)).toThrow('signature is not')
    expect(() => readAptosKey('multi_key', Buffer.concat([account.publicKey.bcsToBytes(), Buffer.from([0])]))).toThrow(
      'publicKey is not',
    )
  })
})

describe('published vectors', () => {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
  const text = Buffer.from(sdk.message)
  test('verify for Ed25519', () => {
    const key = readAptosKey('ed25519', bytes(sdk.ed25519.publicKey))
    expect(key.authenticationKey).toBe(sdk.ed25519.authKey)
    expect(key.verify(bytes(sdk.ed25519.signatureHex), text)).toBe(true)
    expect(key.verify(bytes(sdk.ed25519.signatureHex), Buffer.from('hello'))).toBe(false)
  })
  test.each([
    [0, sdk.singleSignerED25519],
    [1, sdk.secp256k1TestObject],
  ] as const)('verify for a single key of variant %i', (variant, vector) => {
    const raw = bytes(vector.publicKey)
    const key = readAptosKey('single_key', Buffer.from([variant, raw.length, ...raw]))
    expect(key.authenticationKey).toBe(vector.authKey)
    expect(key.verify(Buffer.from([variant, 64, ...bytes(vector.signatureHex)]), text)).toBe(true)
  })
  test('have the authentication key of the SDK for a multi key', () => {
    const raw = bytes(sdk.multiKeyTestObject.stringBytes)
    const expected = MultiKey.deserialize(new Deserializer(raw)).authKey().toString()
    expect(readAptosKey('multi_key', raw).authenticationKey).toBe(expected)
  })
})

test.each([
  [2, 'passkey'],
  [3, 'keyless'],
  [4, 'federated keyless'],
])('rejects a single key of variant %i (%s) as unsupported', async (variant) => {
  const account = ed25519()
  const response = await prove(browser, { kind }, (given) => ({
    ...signWith('single_key', account, signInBytes(given, addressOf(account))),
    publicKey: Buffer.from([variant, 3, 1, 2, 3]).toString('hex'),
  }))
  expectRejected(response, 400, 'unsupported')
})

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isFlowAddressOf } from '../../../src/addresses/flow-addresses.ts'
import { accountProofBytes } from '../../../src/identity/wallet/flow-signature.ts'
import { type Browser, openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { type FlowNode, type NodeKey, startFlowNode } from '../upstreams/flow-node.ts'
import vector from '../vectors/flow.json' with { type: 'json' }
import { challenge, identitiesOf, prove, expectRejected, type WalletChallenge } from '../wallet-proof.ts'

let node: FlowNode
let service: SignInService
let browser: Browser
beforeAll(async () => {
  node = await startFlowNode()
  service = await startSignIn({ settings: { QUESTBOARD_FLOW_NODE: node.url } })
})
beforeEach(() => {
  service.clock.advance(61_000)
  node.broken = undefined
  browser = openBrowser(service.fastify)
})
afterAll(async () => {
  await Promise.all([service.close(), node.close()])
})

const kind = 'FlowAddress'
// Addresses of mainnet contracts.
const address = '0x1654653399040a61'
const other = '0xf233dcee88fe0abe'

type Curve = 'P-256' | 'secp256k1'
type Hash = 'SHA2_256' | 'SHA3_256'
interface Key {
  privateKey: KeyObject
  hash: Hash
  node: NodeKey
}

function makeKey(index: number, weight: number, options: { curve?: Curve; hash?: Hash; revoked?: boolean } = {}): Key {
  const { curve = 'P-256', hash = 'SHA3_256', revoked = false } = options
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  const jwk = publicKey.export({ format: 'jwk' })
  const raw = Buffer.concat([Buffer.from(jwk.x as string, 'base64url'), Buffer.from(jwk.y as string, 'base64url')])
  const entry = {
    index: String(index),
    public_key: `0x${raw.toString('hex')}`,
    signing_algorithm: curve === 'P-256' ? 'ECDSA_P256' : 'ECDSA_secp256k1',
    hashing_algorithm: hash,
    sequence_number: '0',
    weight: String(weight),
    revoked,
  }
  return { privateKey, hash, node: entry }
}

const setKeys = (...keys: Key[]) =>
  node.accounts.set(
    address.slice(2),
    keys.map((key) => key.node),
  )

function composite(key: Key, bytes: Uint8Array, addr = address) {
  const algorithm = key.hash === 'SHA2_256' ? 'sha256' : 'sha3-256'
  const signature = sign(algorithm, bytes, { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('hex')
  return { f_type: 'CompositeSignature', f_vsn: '1.0.0', addr, keyId: Number(key.node.index), signature }
}

const accountProof = ({ flow }: WalletChallenge, ...keys: Key[]) => ({
  address,
  signatures: keys.map((key) => composite(key, accountProofBytes(flow.appIdentifier, address, flow.nonce))),
})
const proveWith = (...keys: Key[]) => prove(browser, { kind }, (given) => accountProof(given, ...keys))

test.each<[Curve, Hash]>([
  ['P-256', 'SHA3_256'],
  ['P-256', 'SHA2_256'],
  ['secp256k1', 'SHA2_256'],
  ['secp256k1', 'SHA3_256'],
])('accepts an account proof by a key of %s with %s', async (curve, hash) => {
  const key = makeKey(0, 1000, { curve, hash })
  setKeys(key)
  expect(identitiesOf(await proveWith(key))).toMatchObject([{ kind, subject: address }])
})

test('accepts a user signature of the text', async () => {
  const key = makeKey(0, 1000)
  setKeys(key)
  const tag = Buffer.alloc(32)
  tag.write('FLOW-V0.0-user')
  const response = await prove(browser, { kind, address }, ({ message }) => ({
    address,
    signatures: [composite(key, Buffer.concat([tag, Buffer.from(message)]))],
  }))
  expect(identitiesOf(response)).toHaveLength(1)
})

test('accepts the algorithm names of the published interface', async () => {
  const key = makeKey(0, 1000)
  key.node.signing_algorithm = 'ECDSAP256'
  setKeys(key)
  expect(identitiesOf(await proveWith(key))).toHaveLength(1)
})

describe('the check of keys and weights', () => {
  test('adds weights up to full weight', async () => {
    const keys = [makeKey(0, 500), makeKey(1, 500, { curve: 'secp256k1', hash: 'SHA2_256' })]
    setKeys(...keys)
    expect(identitiesOf(await proveWith(...keys.toReversed()))).toHaveLength(1)
  })
  test.each<[string, () => Promise<Awaited<ReturnType<typeof proveWith>>>]>([
    [
      'too little weight',
      () => {
        const keys = [makeKey(0, 999), makeKey(1, 1)]
        setKeys(...keys)
        return proveWith(keys[0] as Key)
      },
    ],
    [
      'a revoked key',
      () => {
        const key = makeKey(0, 1000, { revoked: true })
        setKeys(key)
        return proveWith(key)
      },
    ],
    [
      'one key twice',
      () => {
        const key = makeKey(0, 500)
        setKeys(key)
        return proveWith(key, key)
      },
    ],
    [
      'an unknown key',
      () => {
        setKeys(makeKey(0, 1000))
        return proveWith(makeKey(1, 1000))
      },
    ],
    [
      'one wrong signature among right ones',
      () => {
        const keys = [makeKey(0, 1000), makeKey(1, 1000)]
        setKeys(...keys)
        return proveWith(keys[0] as Key, makeKey(1, 1000))
      },
    ],
    [
      'the key of another index',
      () => {
        const keys = [makeKey(0, 1000), makeKey(1, 1000)]
        setKeys(...keys)
        const swapped = { ...(keys[0] as Key), node: { ...(keys[0] as Key).node, index: '1' } }
        return proveWith(swapped)
      },
    ],
    [
      'an account that does not exist',
      () => {
        node.accounts.clear()
        return proveWith(makeKey(0, 1000))
      },
    ],
  ])('rejects %s', async (_, attempt) => expectRejected(await attempt(), 401, 'bad_signature'))
})

test('reads the keys for each proof', async () => {
  const key = makeKey(0, 1000)
  setKeys(key)
  expect(identitiesOf(await proveWith(key))).toHaveLength(1)
  setKeys(makeKey(0, 1000))
  browser = openBrowser(service.fastify)
  expectRejected(await proveWith(key), 401, 'bad_signature')
})

test.each([
  [500, {}],
  [200, { keys: 'none' }],
  [200, null],
  [429, { message: 'slow down' }],
])('rejects a proof if the node returns %s %j', async (status, body) => {
  const key = makeKey(0, 1000)
  setKeys(key)
  node.broken = { status, body }
  expectRejected(await proveWith(key), 503, 'unavailable')
})

test('rejects an account proof of another site or nonce', async () => {
  const key = makeKey(0, 1000)
  setKeys(key)
  for (const change of [{ appIdentifier: 'evil.example' }, { nonce: 'ab'.repeat(32) }]) {
    const response = await prove(browser, { kind }, (given) =>
      accountProof({ ...given, flow: { ...given.flow, ...change } }, key),
    )
    expectRejected(response, 401, 'bad_signature')
  }
})

test('returns a nonce of 32 bytes that differs per challenge', async () => {
  const given = await challenge(browser, { kind })
  expect(given.flow.appIdentifier).toBe('id.questboard.test')
  expect(given.flow.nonce).toMatch(/^[0-9a-f]{64}$/)
  expect((await challenge(browser, { kind })).flow.nonce).not.toBe(given.flow.nonce)
})

test('rejects a signature of another address', async () => {
  const key = makeKey(0, 1000)
  setKeys(key)
  const response = await prove(browser, { kind }, ({ flow }) => ({
    address,
    signatures: [composite(key, accountProofBytes(flow.appIdentifier, address, flow.nonce), other)],
  }))
  expectRejected(response, 401, 'address_mismatch')
})

test('distinguishes networks by the code word of an address', async () => {
  expect(isFlowAddressOf('mainnet', '0x1654653399040a61')).toBe(true)
  expect(isFlowAddressOf('testnet', '0x7e60df042a9c0868')).toBe(true)
  expect(isFlowAddressOf('emulator', '0xf8d6e0586b0a20c7')).toBe(true)
  expect(isFlowAddressOf('mainnet', '0x7e60df042a9c0868')).toBe(false)
  expect(isFlowAddressOf('mainnet', '0x1654653399040a60')).toBe(false)
  expect(isFlowAddressOf('mainnet', '0x0000000000000000')).toBe(false)
  const asked = { kind, purpose: 'sign-in', address: '0x7e60df042a9c0868' }
  expectRejected(await browser.call('POST', '/api/challenges', asked), 400, 'invalid_address')
})

test('encodes a published account proof in the same way', () => {
  const bytes = accountProofBytes(vector.appIdentifier, vector.address, vector.nonce)
  expect(Buffer.from(bytes).toString('hex')).toBe(vector.withDomainTag)
  expect(createHash('sha3-256').update(bytes).digest()).toHaveLength(32)
})

test('turns the kind off without an access node and returns the reason', async () => {
  const bare = await startSignIn()
  const visitor = openBrowser(bare.fastify)
  const kinds = (await visitor.get('/api/identity-kinds')).json<{ kinds: { kind: string }[]; off: unknown[] }>()
  expect(kinds.kinds.map((one) => one.kind)).not.toContain(kind)
  expect(kinds.off).toContainEqual({ kind, label: 'Flow wallet', reason: 'QUESTBOARD_FLOW_NODE is not set' })
  const asked = { kind, purpose: 'sign-in' }
  expectRejected(await visitor.call('POST', '/api/challenges', asked), 400, 'unsupported')
  await bare.close()
})

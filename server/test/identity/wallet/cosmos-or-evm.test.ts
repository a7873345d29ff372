import { Secp256k1Wallet } from '@cosmjs/amino'
import { serializeSignDoc, makeSignDoc } from '@cosmjs/amino'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bech32 } from '@scure/base'
import { createHash, randomBytes } from 'node:crypto'
import { keccak256, type Hex } from 'viem'
import { privateKeyToAccount, sign as signHash } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { verifyAdr036 } from '../../../src/identity/wallet/adr036.ts'
import { type Browser, openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import adr36 from '../vectors/adr36.json' with { type: 'json' }
import injective from '../vectors/injective.json' with { type: 'json' }
import { identitiesOf, prove, expectRejected } from '../wallet-proof.ts'

let service: SignInService
let browser: Browser
let key: Uint8Array
beforeAll(async () => {
  service = await startSignIn()
})
beforeEach(() => {
  service.clock.advance(61_000)
  browser = openBrowser(service.fastify)
  key = Uint8Array.from(randomBytes(32))
})
afterAll(() => service.close())

const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const evm = () => privateKeyToAccount(hex(key))
const inj = (address = evm().address) =>
  bech32.encode('inj', bech32.toWords(Uint8Array.from(Buffer.from(address.slice(2), 'hex'))))
const publicKey = () => Buffer.from(secp256k1.getPublicKey(key, true)).toString('base64')
const document = (signer: string, text: string) =>
  makeSignDoc(
    [{ type: 'sign/MsgSignData', value: { signer, data: Buffer.from(text).toString('base64') } }],
    { gas: '0', amount: [] },
    '',
    '',
    0,
    0,
  )

/** Signs like Keplr for a Cosmos chain. */
async function keplr(prefix: string) {
  const wallet = await Secp256k1Wallet.fromKey(key, prefix)
  const [account] = await wallet.getAccounts()
  const address = account?.address as string
  return {
    address,
    async sign(text: string, signer = address) {
      // signAmino only checks that the address belongs to the wallet
      const { signature } = await wallet.signAmino(address, document(signer, text))
      return { publicKey: signature.pub_key.value as string, signature: signature.signature }
    },
  }
}

/** Signs like Keplr for Injective: the same document, hashed with keccak256. */
async function ethsecp256k1(signer: string, text: string) {
  const { r, s } = await signHash({ hash: keccak256(serializeSignDoc(document(signer, text))), privateKey: hex(key) })
  return { publicKey: publicKey(), signature: Buffer.from(r.slice(2) + s.slice(2), 'hex').toString('base64') }
}

describe('SeiAddress', () => {
  const kind = 'SeiAddress'
  test('accepts an ADR-036 signature of a sei1 address and stores the 0x address of its key', async () => {
    const wallet = await keplr('sei')
    const response = await prove(browser, { kind, address: wallet.address }, ({ message }) => wallet.sign(message))
    expect(identitiesOf(response)).toMatchObject([
      { kind, subject: evm().address.toLowerCase(), username: wallet.address },
    ])
  })
  test('treats the 0x address of the same key as the same identity', async () => {
    const wallet = await keplr('sei')
    const first = await prove(browser, { kind, address: wallet.address }, ({ message }) => wallet.sign(message))
    const again = openBrowser(service.fastify)
    const second = await prove(again, { kind, address: evm().address }, async ({ message }) => {
      expect(message).toContain('Chain ID: 1329\n')
      return { signature: await evm().signMessage({ message }) }
    })
    const id = (response: typeof first) => response.json<{ account: { id: string } }>().account.id
    expect(id(second)).toBe(id(first))
    const aliases = await service.database.query('SELECT alias, subject FROM identity_aliases WHERE alias = $1', [
      wallet.address,
    ])
    expect(aliases).toEqual([{ alias: wallet.address, subject: evm().address.toLowerCase() }])
  })
  test('accepts upper-case bech32', async () => {
    const wallet = await keplr('sei')
    const response = await prove(browser, { kind, address: wallet.address.toUpperCase() }, ({ message }) =>
      wallet.sign(message),
    )
    expect(identitiesOf(response)).toHaveLength(1)
  })
  test.each([
    ['another prefix', async () => (await keplr('cosmos')).address],
    ['mixed case', async () => (await keplr('sei')).address.replace(/[a-z]$/, (letter) => letter.toUpperCase()) + 'A'],
    ['a validator', async () => (await keplr('seivaloper')).address],
    ['a contract', async () => bech32.encode('sei', bech32.toWords(randomBytes(32)))],
    ['nothing', async () => ''],
  ])('rejects the address of %s', async (_, address) => {
    const asked = { kind, purpose: 'sign-in', address: await address() }
    expectRejected(await browser.call('POST', '/api/challenges', asked), 400, 'invalid_address')
  })
  test('rejects a key that does not belong to the signer', async () => {
    const victim = (await keplr('sei')).address
    key = Uint8Array.from(randomBytes(32))
    const attacker = await keplr('sei')
    const response = await prove(browser, { kind, address: victim }, ({ message }) => attacker.sign(message, victim))
    expectRejected(response, 401, 'address_mismatch')
  })
  test('rejects a document hashed with keccak256', async () => {
    const wallet = await keplr('sei')
    const response = await prove(browser, { kind, address: wallet.address }, ({ message }) =>
      ethsecp256k1(wallet.address, message),
    )
    expectRejected(response, 401, 'bad_signature')
  })
  test('rejects a signature with a high s', async () => {
    const wallet = await keplr('sei')
    const response = await prove(browser, { kind, address: wallet.address }, async ({ message }) => {
      const proof = await wallet.sign(message)
      const bytes = Buffer.from(proof.signature, 'base64')
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const high = (order - BigInt(hex(bytes.subarray(32)))).toString(16).padStart(64, '0')
      const flipped = Buffer.concat([bytes.subarray(0, 32), Buffer.from(high, 'hex')])
      return { ...proof, signature: flipped.toString('base64') }
    })
    expectRejected(response, 401, 'bad_signature')
  })
})

describe('InjectiveAddress', () => {
  const kind = 'InjectiveAddress'
  test('signs in to the same inj1 identity with ADR-036 and with EIP-4361', async () => {
    const keplrWay = await prove(browser, { kind, address: inj() }, ({ message }) => ethsecp256k1(inj(), message))
    expect(identitiesOf(keplrWay)).toMatchObject([{ kind, subject: inj() }])
    const evmWay = await prove(openBrowser(service.fastify), { kind, address: evm().address }, async ({ message }) => {
      expect(message).toContain('Chain ID: 1776\n')
      return { signature: await evm().signMessage({ message }) }
    })
    expect(evmWay.json<{ account: { id: string } }>().account.id).toBe(
      keplrWay.json<{ account: { id: string } }>().account.id,
    )
  })
  test('rejects the Cosmos app of a Ledger, which has another key, with address_mismatch', async () => {
    const address = inj()
    key = Uint8Array.from(randomBytes(32))
    const response = await prove(browser, { kind, address }, ({ message }) => ethsecp256k1(address, message))
    expectRejected(response, 401, 'address_mismatch')
  })
  test('rejects a document hashed with sha256', async () => {
    const wallet = await keplr('inj')
    const response = await prove(browser, { kind, address: inj() }, ({ message }) => wallet.sign(message, inj()))
    expectRejected(response, 401, 'bad_signature')
  })
  test.each(injective.pairs)('derives $inj from $evm (published pair)', ({ inj: bech, evm: address }) => {
    expect(inj(address as Hex)).toBe(bech)
  })
})

test('verifies a signature of the Injective SDK only for its address and text', () => {
  const { inj: signer, message, ...proof } = injective.sdkSignature
  expect(Buffer.from(verifyAdr036(proof, signer, message, keccak_256)).toString('base64')).toBe(proof.publicKey)
  key = Uint8Array.from(createHash('sha256').update('questboard test vector: injective').digest())
  expect(inj()).toBe(signer)
  expect(() => verifyAdr036(proof, signer, `${message} `, keccak_256)).toThrow('not one of this key')
  expect(() => verifyAdr036(proof, signer, message, sha256)).toThrow('not one of this key')
})

test('rejects the example in ADR-036, because its signer is not an address', () => {
  const vector = adr36.vectors.find(({ valid }) => !valid)
  if (!vector) throw new Error('no vector')
  const proof = { publicKey: vector.pubKey, signature: vector.signature }
  expect(() => verifyAdr036(proof, vector.signer, vector.data, sha256)).toThrow()
})

test('verifies a published ADR-036 signature only for its text', () => {
  const [vector] = adr36.vectors
  if (!vector) throw new Error('no vector')
  const proof = { publicKey: vector.pubKey, signature: vector.signature }
  expect(Buffer.from(verifyAdr036(proof, vector.signer, vector.data, sha256)).toString('base64')).toBe(vector.pubKey)
  expect(() => verifyAdr036(proof, vector.signer, `${vector.data} `, sha256)).toThrow('not one of this key')
})

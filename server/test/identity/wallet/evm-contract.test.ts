import { hashMessage, type Hex, serializeErc6492Signature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { personalMessageHash, recoverAddress } from '../../../src/identity/wallet/evm-signature.ts'
import { signInMessage } from '../../../src/identity/wallet/sign-in-message.ts'
import { type Browser, openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import * as contracts from '../upstreams/evm-contracts.ts'
import { type EvmNode, startEvmNode } from '../upstreams/evm-node.ts'
import real from '../vectors/real_wallets.json' with { type: 'json' }
import negative from '../vectors/siwe_verification_negative.json' with { type: 'json' }
import positive from '../vectors/siwe_verification_positive.json' with { type: 'json' }
import { identitiesOf, prove, expectRejected } from '../wallet-proof.ts'

let node: EvmNode
let otherChain: EvmNode
let service: SignInService
let browser: Browser
let owner: ReturnType<typeof privateKeyToAccount>
beforeAll(async () => {
  node = await startEvmNode(1)
  otherChain = await startEvmNode(10)
  await node.setCode(contracts.factory, contracts.factoryCode)
  const rpc = `1=${node.url}, 10=${otherChain.url}, 137=${node.url}`
  service = await startSignIn({ settings: { QUESTBOARD_EVM_RPC: rpc } })
})
beforeEach(() => {
  service.clock.advance(61_000)
  node.broken = undefined
  browser = openBrowser(service.fastify)
  owner = privateKeyToAccount(generatePrivateKey())
})
afterAll(async () => {
  await Promise.all([service.close(), node.close(), otherChain.close()])
})

const kind = 'EVMAddress'
let last = 0x1000
const newAddress = (): Hex => `0x${(last++).toString(16).padStart(40, '0')}`

async function deploy(code: Hex, chain = node): Promise<Hex> {
  const address = newAddress()
  await chain.setCode(address, code)
  return address
}

const proveAs = (address: Hex, chainId = 1, signer = owner) =>
  prove(browser, { kind, address, chainId }, async ({ message }) => ({
    signature: await signer.signMessage({ message }),
  }))

test('accepts the owner of a deployed contract wallet (EIP-1271) and binds the wallet to its chain', async () => {
  const address = await deploy(contracts.ownedWallet(owner.address))
  expect(identitiesOf(await proveAs(address))).toMatchObject([{ kind, subject: address }])
  const [row] = await service.database.query('SELECT bound_chain_id FROM identities WHERE subject = $1', [address])
  expect(row).toEqual({ bound_chain_id: 1 })
})

test('rejects the same address on another chain', async () => {
  const address = await deploy(contracts.ownedWallet(owner.address))
  await proveAs(address)
  const attacker = privateKeyToAccount(generatePrivateKey())
  await otherChain.setCode(address, contracts.ownedWallet(attacker.address))
  browser = openBrowser(service.fastify)
  expectRejected(await proveAs(address, 10, attacker), 409, 'other_chain')
})

test('rejects a contract at the address of a key wallet', async () => {
  const victim = privateKeyToAccount(generatePrivateKey())
  await proveAs(victim.address.toLowerCase() as Hex, 1, victim)
  await node.setCode(victim.address, contracts.ownedWallet(owner.address))
  browser = openBrowser(service.fastify)
  expectRejected(await proveAs(victim.address), 409, 'other_chain')
})

test('accepts a contract wallet that is not deployed yet, with its factory call (ERC-6492)', async () => {
  const { address, factoryCall } = contracts.undeployedWallet(owner.address)
  const response = await prove(browser, { kind, address }, async ({ message }) => ({
    signature: serializeErc6492Signature({
      address: contracts.factory,
      data: factoryCall,
      signature: await owner.signMessage({ message }),
    }),
  }))
  expect(identitiesOf(response)).toMatchObject([{ subject: address.toLowerCase() }])
})

describe('the check of ERC-6492 signatures', () => {
  const wrap = async (message: string, data: Hex, factory: Hex = contracts.factory) =>
    serializeErc6492Signature({ address: factory, data, signature: await owner.signMessage({ message }) })
  test.each<[string, (victim: Hex) => [address: Hex, signature: (message: string) => Promise<string>]]>([
    [
      'the factory deploys elsewhere',
      (victim) => [victim, (m) => wrap(m, contracts.undeployedWallet(owner.address).factoryCall)],
    ],
    ['no factory at the address', (victim) => [victim, (m) => wrap(m, '0x', newAddress())]],
    [
      'another owner',
      () => {
        const { address, factoryCall } = contracts.undeployedWallet(privateKeyToAccount(generatePrivateKey()).address)
        return [address, (m) => wrap(m, factoryCall)]
      },
    ],
    ['offsets out of range', (victim) => [victim, async () => `0x${'ff'.repeat(96)}${'6492'.repeat(16)}`]],
    ['only the suffix', (victim) => [victim, async () => `0x${'6492'.repeat(16)}`]],
  ])('rejects %s', async (_, arrange) => {
    const [address, sign] = arrange(privateKeyToAccount(generatePrivateKey()).address)
    const response = await prove(browser, { kind, address }, async ({ message }) => ({
      signature: await sign(message),
    }))
    expectRejected(response, 401, 'bad_signature')
  })
})

describe('attack 87: the check of a contract', () => {
  const magic: Hex = `0x1626ba7e${'0'.repeat(56)}`
  test('accepts one that returns the magic value', async () => {
    const address = await deploy(contracts.answering(magic))
    expect(identitiesOf(await proveAs(address))).toHaveLength(1)
  })
  test.each<[string, Hex]>([
    ['nothing', contracts.answering('0x')],
    ['the magic without padding', contracts.answering('0x1626ba7e')],
    ['the magic and junk', contracts.answering(`0x1626ba7e${'01'.repeat(28)}`)],
    ['the magic at the other end', contracts.answering(`0x${'0'.repeat(56)}1626ba7e`)],
    ['true', contracts.answering(`0x${'1'.padStart(64, '0')}`)],
    ['two words', contracts.answering(`${magic}${'0'.repeat(64)}`)],
    ['a revert', contracts.reverting],
    ['an endless loop', contracts.looping],
    ['an invalid instruction', contracts.destroying],
    ['the value for another owner', contracts.ownedWallet('0x00000000000000000000000000000000000000ff')],
  ])('rejects %s', async (_, code) => {
    const response = await proveAs(await deploy(code))
    expect(response.statusCode).toBe(401)
  })
  test.each([
    ['eth_chainId', 500, {}],
    ['eth_chainId', 200, { jsonrpc: '2.0', id: 1, result: '0x2' }],
    ['eth_chainId', 200, { jsonrpc: '2.0', id: 1, result: 1 }],
    ['eth_getCode', 200, { jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'limit exceeded' } }],
    ['eth_call', 429, { jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'limit exceeded' } }],
    ['eth_call', 200, 'junk'],
    ['eth_call', 500, { jsonrpc: '2.0', id: 1, result: magic }],
  ])('fails if the node returns for %s: %i %j', async (method, status, body) => {
    const address = await deploy(contracts.ownedWallet(owner.address))
    node.broken = { method, status, body }
    expectRejected(await proveAs(address), 503, 'unavailable')
  })
  test('fails if the node has another chain than configured', async () => {
    expectRejected(await proveAs(await deploy(contracts.ownedWallet(owner.address)), 137), 503, 'unavailable')
  })
  test('rejects it on a chain without a node, and accepts key wallets', async () => {
    const address = await deploy(contracts.ownedWallet(owner.address))
    expectRejected(await proveAs(address, 5), 401, 'address_mismatch')
    browser = openBrowser(service.fastify)
    expect(identitiesOf(await proveAs(owner.address, 5))).toHaveLength(1)
  })
  test('sends no request for key wallets', async () => {
    const before = node.requests.length
    expect(identitiesOf(await proveAs(owner.address))).toHaveLength(1)
    expect(node.requests).toHaveLength(before)
  })
})

describe('published vectors', () => {
  test.each(real.evm)('verify for a real wallet at %s', (address, message, signature) => {
    expect(hashMessage(message)).toBe(`0x${Buffer.from(personalMessageHash(message)).toString('hex')}`)
    expect(recoverAddress(personalMessageHash(message), signature)).toBe(address.toLowerCase())
  })
  interface Siwe {
    domain: string
    address: string
    statement: string
    uri: string
    chainId: number
    nonce: string
    issuedAt: string
    expirationTime?: string
    signature: string
  }
  const textOf = (vector: Siwe) =>
    signInMessage('Ethereum', {
      ...vector,
      chainId: String(vector.chainId),
      expiresAt: vector.expirationTime ?? '',
    })
  const usable = (vectors: object) =>
    Object.entries(vectors).filter((entry): entry is [string, Siwe] => {
      const vector = entry[1] as Siwe & { notBefore?: string }
      return typeof vector === 'object' && vector.expirationTime !== undefined && vector.notBefore === undefined
    })
  test.each(usable(positive))('verify for siwe, positive: %s', (_, vector) => {
    expect(recoverAddress(personalMessageHash(textOf(vector)), vector.signature)).toBe(vector.address.toLowerCase())
  })
  test.each(usable(negative).filter(([name]) => /signature/.test(name)))('fail for siwe, negative: %s', (_, vector) => {
    expect(recoverAddress(personalMessageHash(textOf(vector)), vector.signature)).not.toBe(vector.address.toLowerCase())
  })
})

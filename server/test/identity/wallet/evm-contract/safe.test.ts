import { type Hex, serializeErc6492Signature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Browser, openBrowser } from '../../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../../support/oauth-service.ts'
import { type EvmNode, startEvmNode } from '../../upstreams/evm-node.ts'
import { inOrder, type SafeContracts, signAsSafe, startSafe } from '../../upstreams/safe.ts'
import { identitiesOf, prove, expectRejected } from '../../wallet-proof.ts'

let node: EvmNode
let safes: SafeContracts
let service: SignInService
let browser: Browser
beforeAll(async () => {
  node = await startEvmNode(1)
  safes = await startSafe(node)
  service = await startSignIn({ settings: { QUESTBOARD_EVM_RPC: `1=${node.url}` } })
})
beforeEach(() => {
  service.clock.advance(61_000)
  browser = openBrowser(service.fastify)
})
afterAll(async () => {
  await Promise.all([service.close(), node.close()])
})

const kind = 'EVMAddress'
const owners = (count: number) => Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))
const proveAs = (address: Hex, sign: (message: string) => Promise<string>) =>
  prove(browser, { kind, address, chainId: 1 }, async ({ message }) => ({ signature: await sign(message) }))

test('accepts a Safe with one owner and binds it to its chain', async () => {
  const [owner] = owners(1) as [ReturnType<typeof privateKeyToAccount>]
  const address = await safes.deploy([owner], 1)
  const response = await proveAs(address, (message) => signAsSafe(address, 1, message, [owner]))
  expect(identitiesOf(response)).toMatchObject([{ kind, subject: address.toLowerCase() }])
  const [row] = await service.database.query('SELECT bound_chain_id FROM identities WHERE subject = $1', [
    address.toLowerCase(),
  ])
  expect(row).toEqual({ bound_chain_id: 1 })
})

describe('a Safe of two out of three owners', () => {
  test.each([
    [0, 1],
    [0, 2],
    [1, 2],
  ])('signs in with the owners %i and %i', async (one, other) => {
    const three = inOrder(owners(3))
    const address = await safes.deploy(three, 2)
    const two = inOrder(three.filter((_, n) => n === one || n === other))
    expect(identitiesOf(await proveAs(address, (text) => signAsSafe(address, 1, text, two)))).toHaveLength(1)
  })
  type Owners = ReturnType<typeof owners>
  type Attempt = (three: Owners, address: Hex) => (text: string) => Promise<Hex>
  test.each<[string, Attempt]>([
    ['one owner', (three, address) => (text) => signAsSafe(address, 1, text, three.slice(0, 1))],
    [
      'one owner twice',
      ([one], address) =>
        (text) =>
          signAsSafe(address, 1, text, inOrder([one, one] as Owners)),
    ],
    [
      'an owner and a stranger',
      ([one], address) =>
        (text) =>
          signAsSafe(address, 1, text, inOrder([one, ...owners(1)] as Owners)),
    ],
    [
      'the wrong order',
      (three, address) => (text) => signAsSafe(address, 1, text, inOrder(three).slice(0, 2).toReversed()),
    ],
    ['another text', (three, address) => () => signAsSafe(address, 1, 'hello', inOrder(three).slice(0, 2))],
    ['another chain', (three, address) => (text) => signAsSafe(address, 10, text, inOrder(three).slice(0, 2))],
    [
      'another Safe',
      (three) => async (text) => signAsSafe(await safes.deploy(three, 2), 1, text, inOrder(three).slice(0, 2)),
    ],
    ['an empty signature without an approval on chain', () => async () => '0x'],
  ])('rejects %s', async (_, attempt) => {
    const three = owners(3)
    const address = await safes.deploy(three, 2)
    const response = await proveAs(address, attempt(three, address))
    expect(response.statusCode).toBe(401)
    expect(browser.cookies.has('__Host-questboard-session')).toBe(false)
  })
})

test('accepts a Safe that is not deployed yet, with its factory call (ERC-6492)', async () => {
  const two = inOrder(owners(2))
  const { address, call } = await safes.plan(two, 2)
  const response = await proveAs(address, async (message) =>
    serializeErc6492Signature({
      address: safes.factory,
      data: call,
      signature: await signAsSafe(address, 1, message, two),
    }),
  )
  expect(identitiesOf(response)).toMatchObject([{ subject: address.toLowerCase() }])
  expect(await node.codeOf(address)).toBe('0x')
})

test('rejects the factory call of another Safe with signatures of other owners', async () => {
  const { address, call } = await safes.plan(owners(1), 1)
  const response = await proveAs(address, async (message) =>
    serializeErc6492Signature({
      address: safes.factory,
      data: call,
      signature: await signAsSafe(address, 1, message, owners(1)),
    }),
  )
  expectRejected(response, 401, 'bad_signature')
})

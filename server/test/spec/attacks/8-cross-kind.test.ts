import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { sha3_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { challenge, prove, expectRejected } from '../../identity/wallet-proof.ts'
import { type Browser, openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { type TestWallet, testWallet } from '../../support/oauth-wallet.ts'

let service: SignInService
let browser: Browser
let wallet: TestWallet
beforeAll(async () => {
  service = await startSignIn()
})
beforeEach(() => {
  service.clock.advance(61_000)
  browser = openBrowser(service.fastify)
  wallet = testWallet()
})
afterAll(() => service.close())

describe('attack 88: one key, several kinds', () => {
  const wallets = { EVMAddress: 'EVM', SeiAddress: 'Sei', InjectiveAddress: 'Injective' }
  const evmKinds = ['EVMAddress', 'SeiAddress', 'InjectiveAddress'] as const
  test.each(evmKinds.flatMap((from) => evmKinds.filter((to) => to !== from).map((to) => [from, to] as const)))(
    'a signature for %s does not prove %s',
    async (from, to) => {
      const { message } = await challenge(browser, { kind: from, address: wallet.address })
      expect(message).toContain(`with this ${wallets[from]} wallet.`)
      const response = await prove(browser, { kind: to, address: wallet.address }, () => ({
        signature: wallet.sign(message),
      }))
      expectRejected(response, 401, 'address_mismatch')
    },
  )
  test('rejects the proof of one kind for a challenge of another', async () => {
    const { id } = await challenge(browser, { kind: 'EVMAddress', address: wallet.address })
    const solana = { address: '11111111111111111111111111111111', signature: 'ab'.repeat(64) }
    expectRejected(await browser.call('POST', `/api/challenges/${id}/proof`, solana), 401, 'bad_signature')
  })
  test('rejects a signature of an Ed25519 key for Solana as proof of an Aptos account, and vice versa', async () => {
    const { secretKey, publicKey } = ed25519.keygen()
    const solana = base58.encode(publicKey)
    const aptos = `0x${Buffer.from(sha3_256(Buffer.concat([publicKey, Buffer.from([0])]))).toString('hex')}`
    const signText = (text: string) => Buffer.from(ed25519.sign(Buffer.from(text), secretKey)).toString('hex')
    const fromSolana = await challenge(browser, { kind: 'SolanaAddress', address: solana })
    const asAptos = await prove(browser, { kind: 'AptosAddress', address: aptos }, () => ({
      address: aptos,
      scheme: 'ed25519',
      publicKey: Buffer.from(publicKey).toString('hex'),
      signature: signText(fromSolana.message),
    }))
    expectRejected(asAptos, 401, 'bad_signature')
    const fromAptos = await challenge(browser, { kind: 'AptosAddress', address: aptos })
    const asSolana = await prove(browser, { kind: 'SolanaAddress', address: solana }, () => ({
      signature: signText(fromAptos.message),
    }))
    expectRejected(asSolana, 401, 'bad_signature')
  })
})

import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, bech32 } from '@scure/base'
import { sha3_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { challengeKinds, type ChallengeContext } from '../../src/identity/kinds.ts'
import { ApiError } from '../../src/identity/api-error.ts'
import { challenge, prove, refusedProof } from '../identity/wallet-proof.ts'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { type TestWallet, testWallet } from '../support/oauth-wallet.ts'

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
  const evmKinds = ['EVMAddress', 'SeiAddress', 'InjectiveAddress']
  test.each(evmKinds.flatMap((from) => evmKinds.filter((to) => to !== from).map((to) => [from, to] as const)))(
    'a signature for %s does not prove %s',
    async (from, to) => {
      const { message } = await challenge(browser, { kind: from, address: wallet.address })
      expect(message).toContain(`with this ${from}.`)
      const response = await prove(browser, { kind: to, address: wallet.address }, () => ({
        signature: wallet.sign(message),
      }))
      refusedProof(response, 401, 'address_mismatch')
    },
  )
  test('the proof of one kind does not answer the challenge of another', async () => {
    const { id } = await challenge(browser, { kind: 'EVMAddress', address: wallet.address })
    const solana = { address: '11111111111111111111111111111111', signature: 'ab'.repeat(64) }
    refusedProof(await browser.call('POST', `/api/challenges/${id}/proof`, solana), 401, 'bad_signature')
  })
  test('the Ed25519 key of a Solana wallet proves no Aptos account by the same signature, nor the other way', async () => {
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
    refusedProof(asAptos, 401, 'bad_signature')
    const fromAptos = await challenge(browser, { kind: 'AptosAddress', address: aptos })
    const asSolana = await prove(browser, { kind: 'SolanaAddress', address: solana }, () => ({
      signature: signText(fromAptos.message),
    }))
    refusedProof(asSolana, 401, 'bad_signature')
  })
})

test('attack 82: who proves a wallet first gets an account of that wallet alone; nothing else comes with it', async () => {
  const attacker = openBrowser(service.fastify)
  const attackers = await signInWithWallet(attacker)
  // The attacker begins a link of the victim's wallet; the victim signs in with it in the victim's own browser.
  const begun = await challenge(attacker, { kind: 'EVMAddress', address: wallet.address, purpose: 'link' })
  const victim = await signInWithWallet(browser, wallet)
  expect(victim.id).not.toBe(attackers.id)
  const response = await attacker.call('POST', `/api/challenges/${begun.id}/proof`, { signature: wallet.sign('hello') })
  expect(response.statusCode).toBe(401)
  // A victim who was made to sign the attacker's text has read whose account it names.
  expect(begun.message).toContain(`Link this EVMAddress to your Questboard account ${attackers.username}.`)
})

test('attack 89: what a wallet shows names the platform and the site', async () => {
  const { message } = await challenge(browser, { kind: 'EVMAddress', address: wallet.address })
  expect(message).toContain('id.questboard.test wants you to sign in')
  expect(message).toContain('Sign in to Questboard')
  const { signIn } = await challenge(browser, { kind: 'SolanaAddress' })
  expect(signIn).toMatchObject({ domain: 'id.questboard.test', uri: 'https://id.questboard.test' })
})

describe('malformed proofs end in typed errors only', () => {
  const addresses: Record<string, string> = {
    EVMAddress: '0xbdaedec95d563fb05240d6e01821008454c24c36',
    SolanaAddress: '2EZEiBdw47VHT6SpZSW9VnuSvBe7DxuYHBTxj19gxvv8',
    SeiAddress: bech32.encode('sei', bech32.toWords(Uint8Array.from(Buffer.alloc(20, 7)))),
    AptosAddress: `0x${'ab'.repeat(32)}`,
    InjectiveAddress: 'inj1hkhdaj2a2clmq5jq6mspsggqs32vynpk228q3r',
    FlowAddress: '0x1654653399040a61',
  }
  const hexText = (maxLength: number) =>
    fc.uint8Array({ maxLength }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
  const value = fc.oneof(
    fc.anything(),
    fc.string(),
    hexText(300),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    fc
      .uint8Array({ minLength: 33, maxLength: 33 })
      .map((bytes) => Buffer.from([2, ...bytes.slice(1)]).toString('base64')),
    fc
      .uint8Array({ minLength: 65, maxLength: 65 })
      .map((bytes) => `0x${Buffer.from([...bytes.slice(0, 64), 27]).toString('hex')}`),
    fc.constantFrom(...Object.values(addresses)),
  )
  const proofs = fc.record(
    {
      address: fc.oneof(value, fc.constantFrom(...Object.values(addresses))),
      signature: value,
      publicKey: value,
      scheme: fc.oneof(value, fc.constantFrom('ed25519', 'multi_ed25519', 'single_key', 'multi_key')),
      signatures: fc.oneof(
        value,
        fc.array(fc.record({ addr: value, keyId: fc.nat(), signature: value }), { maxLength: 3 }),
      ),
      credential: value,
      hash: value,
      code: value,
    },
    { requiredKeys: [] },
  )
  const kinds = challengeKinds.filter(({ kind }) => Object.hasOwn(addresses, kind))
  test.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', async (_, kind) => {
    const { signIn } = service
    const issuedAt = new Date(service.clock.now())
    const context: ChallengeContext = {
      signIn,
      site: signIn.site,
      nonce: 'n'.repeat(24),
      issuedAt,
      expiresAt: issuedAt,
      purpose: 'sign-in',
      accountId: undefined,
      statement: () => 'Sign in.',
    }
    const { stored } = await kind.challenge(context, { address: addresses[kind.kind] })
    await fc.assert(
      fc.asyncProperty(proofs, async (proof) => {
        const thrown: unknown = await kind.verify(context, stored, proof).then(
          () => 'accepted',
          (error: unknown) => error,
        )
        expect(thrown).toBeInstanceOf(ApiError)
        expect((thrown as ApiError).status).toBeLessThanOrEqual(503)
        expect((thrown as ApiError).status).not.toBe(500)
      }),
      { numRuns: 1500 },
    )
  })
})

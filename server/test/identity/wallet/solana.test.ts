import {
  address as solanaAddress,
  type Address,
  createKeyPairSignerFromPrivateKeyBytes,
  getOffchainMessageEncoder,
  offchainMessageApplicationDomain,
  offchainMessageContentUtf8Of1232BytesMax,
  signBytes,
} from '@solana/kit'
import { base58 } from '@scure/base'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isSignedBy } from '../../../src/identity/wallet/solana.ts'
import { type Browser, openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import real from '../vectors/real_wallets.json' with { type: 'json' }
import { identitiesOf, prove, expectRejected } from '../wallet-proof.ts'

let service: SignInService
let browser: Browser
let signer: Awaited<ReturnType<typeof createKeyPairSignerFromPrivateKeyBytes>>
beforeAll(async () => {
  service = await startSignIn()
})
beforeEach(async () => {
  service.clock.advance(61_000)
  browser = openBrowser(service.fastify)
  signer = await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(randomBytes(32)))
})
afterAll(() => service.close())

const kind = 'SolanaAddress'
const sign = async (bytes: Uint8Array) => {
  const keyPair = signer.keyPair as { privateKey: Parameters<typeof signBytes>[0] }
  return Buffer.from(await signBytes(keyPair.privateKey, bytes))
}
const signText = (text: string) => sign(new TextEncoder().encode(text))

test('signs in with solana:signIn without an address in the challenge', async () => {
  const response = await prove(browser, { kind }, async ({ signIn, message }) => {
    expect(message).toBeUndefined()
    const input = signIn as typeof signIn & { issuedAt: string; expirationTime: string }
    const text = `${input.domain} wants you to sign in with your Solana account:
${signer.address}

${input.statement}

URI: ${input.uri}
Version: ${input.version}
Chain ID: ${input.chainId}
Nonce: ${input.nonce}
Issued At: ${input.issuedAt}
Expiration Time: ${input.expirationTime}`
    return { address: signer.address, signature: (await signText(text)).toString('base64') }
  })
  expect(identitiesOf(response)).toMatchObject([{ kind, subject: signer.address }])
})

test.each(['base64', 'hex'] as const)('signs in with signMessage and a signature in %s', async (coding) => {
  const response = await prove(browser, { kind, address: signer.address }, async ({ message }) => ({
    signature: (await signText(message)).toString(coding),
  }))
  expect(identitiesOf(response)).toMatchObject([{ subject: signer.address }])
})

test('accepts a signature in base58', async () => {
  const response = await prove(browser, { kind, address: signer.address }, async ({ message }) => ({
    signature: base58.encode(await signText(message)),
  }))
  expect(identitiesOf(response)).toHaveLength(1)
})

describe('the check of off-chain envelopes of hardware wallets', () => {
  const site = (domain: string): Address => {
    const bytes = Buffer.alloc(32)
    bytes.write(domain)
    return solanaAddress(base58.encode(bytes))
  }
  const envelope = (text: string, domain: string) =>
    getOffchainMessageEncoder().encode({
      version: 0,
      applicationDomain: offchainMessageApplicationDomain(site(domain)),
      requiredSignatories: [{ address: signer.address }],
      content: offchainMessageContentUtf8Of1232BytesMax(text),
    })
  test.each([
    ['version 0 for this site', (text: string) => envelope(text, 'id.questboard.test')],
    ['version 0 without a domain', (text: string) => envelope(text, '')],
    [
      'version 1',
      (text: string) =>
        getOffchainMessageEncoder().encode({
          version: 1,
          requiredSignatories: [{ address: signer.address }],
          content: text,
        }),
    ],
  ])('accepts %s', async (_, wrap) => {
    const response = await prove(browser, { kind, address: signer.address }, async ({ message }) => ({
      signature: (await sign(Uint8Array.from(wrap(message)))).toString('base64'),
    }))
    expect(identitiesOf(response)).toHaveLength(1)
  })
  test('rejects one for another site', async () => {
    const response = await prove(browser, { kind, address: signer.address }, async ({ message }) => ({
      signature: (await sign(Uint8Array.from(envelope(message, 'evil.example')))).toString('base64'),
    }))
    expectRejected(response, 401, 'bad_signature')
  })
})

test.each([...real.solana, ...real.solanaLedger])(
  'verifies a signature of a real wallet for %s',
  (domain, text, signature) => {
    const key = base58.decode(text.split('\n')[1] as string)
    const bytes = Uint8Array.from(Buffer.from(signature, 'base64'))
    expect(isSignedBy(key, bytes, text, domain)).toBe(true)
    expect(isSignedBy(key, bytes, `${text} `, domain)).toBe(false)
  },
)

test('rejects the key of another address', async () => {
  const victim = (await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(randomBytes(32)))).address
  const response = await prove(browser, { kind, address: victim }, async ({ message }) => ({
    address: victim,
    signature: (await signText(message)).toString('base64'),
  }))
  expectRejected(response, 401, 'bad_signature')
})

test('rejects another address than that of the challenge', async () => {
  const other = (await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(randomBytes(32)))).address
  const response = await prove(browser, { kind, address: other }, async ({ message }) => ({
    address: signer.address,
    signature: (await signText(message.replace(other, signer.address))).toString('base64'),
  }))
  expectRejected(response, 401, 'address_mismatch')
})

test('rejects a small-order key, whose trivial signature is valid for any message', async () => {
  const trivial = Buffer.alloc(64)
  trivial[0] = 1
  const key = Buffer.alloc(32)
  key[0] = 1
  const address = base58.encode(key)
  expectRejected(
    await prove(browser, { kind, address }, () => ({ signature: trivial.toString('base64') })),
    401,
    'bad_signature',
  )
})

test('rejects the signature for an address in another case', async () => {
  const folded = signer.address.toLowerCase()
  const response = await browser.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address: folded })
  if (response.statusCode !== 201) return expectRejected(response, 400, 'invalid_address')
  const { id, message } = response.json<{ id: string; message: string }>()
  const proof = { signature: (await signText(message)).toString('base64') }
  expectRejected(await browser.call('POST', `/api/challenges/${id}/proof`, proof), 401, 'bad_signature')
})

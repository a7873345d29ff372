import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import { signedInBrowser } from '../../support/oauth-flow.ts'
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

interface Challenge {
  id: string
  message: string
}

async function challengeFor(address: string, extra: object = {}, asker = browser): Promise<Challenge> {
  const body = { kind: 'EVMAddress', purpose: 'sign-in', address, ...extra }
  const response = await asker.call('POST', '/api/challenges', body)
  expect(response.statusCode).toBe(201)
  return response.json<Challenge>()
}

const prove = (id: string, signature: unknown, asker = browser) =>
  asker.call('POST', `/api/challenges/${id}/proof`, { signature })

test('attack 81: rejects linking an identity of another account', async () => {
  const owner = await signInWithWallet(openBrowser(service.fastify), wallet)
  await signInWithWallet(browser)
  const challenge = await challengeFor(wallet.address, { purpose: 'link' })
  const response = await prove(challenge.id, wallet.sign(challenge.message))
  expect(response.statusCode).toBe(409)
  expect(response.json()).toMatchObject({ error: { code: 'identity_taken' } })
  expect((await signInWithWallet(openBrowser(service.fastify), wallet)).id).toBe(owner.id)
})

test('attack 81: requires a sign-in within the last hour for linking', async () => {
  const link = { kind: 'EVMAddress', purpose: 'link', address: wallet.address }
  expect((await browser.call('POST', '/api/challenges', link)).statusCode).toBe(401)
  await signInWithWallet(browser)
  service.clock.advance(60 * 60_000 + 1)
  const late = await browser.call('POST', '/api/challenges', link)
  expect(late.statusCode).toBe(403)
  expect(late.json()).toMatchObject({ error: { code: 'fresh_sign_in_required' } })
})

test('attack 81: rejects unlinking the last sign-in method, also concurrently', async () => {
  const { browser: user, account } = await signedInBrowser(service)
  const subject = account.wallet.address.toLowerCase()
  const unlink = (address: string) => user.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject: address })
  expect((await unlink(subject)).statusCode).toBe(409)
  const second = testWallet()
  const challenge = await challengeFor(second.address, { purpose: 'link' }, user)
  expect((await prove(challenge.id, second.sign(challenge.message), user)).statusCode).toBe(200)
  const both = await Promise.all([unlink(subject), unlink(second.address.toLowerCase())])
  expect(both.map((response) => response.statusCode).sort()).toEqual([200, 409])
})

test('attack 81: ends all other sessions when a wallet is unlinked', async () => {
  const { browser: owner, account } = await signedInBrowser(service)
  const stolen = testWallet()
  const challenge = await challengeFor(stolen.address, { purpose: 'link' }, owner)
  expect((await prove(challenge.id, stolen.sign(challenge.message), owner)).statusCode).toBe(200)
  const thief = openBrowser(service.fastify)
  expect((await signInWithWallet(thief, stolen)).id).toBe(account.id)
  const subject = stolen.address.toLowerCase()
  expect((await owner.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject })).statusCode).toBe(200)
  expect((await thief.get('/api/sessions')).statusCode).toBe(401)
  expect((await owner.get('/api/sessions')).json<{ sessions: unknown[] }>().sessions).toHaveLength(1)
})

test('attack 81: does not count an identity of a disabled kind as a sign-in method', async () => {
  const { browser: user, account } = await signedInBrowser(service)
  await service.database.query(
    `WITH linked AS (INSERT INTO identity_subjects VALUES ($2, 'FlowAddress', $1) RETURNING *)
     INSERT INTO identities (account_id, kind, subject, linked_at) SELECT account_id, kind, subject, now() FROM linked`,
    [account.id, '0x1654653399040a61'],
  )
  const subject = account.wallet.address.toLowerCase()
  const refused = await user.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject })
  expect(refused.json()).toMatchObject({ error: { code: 'last_sign_in_method' } })
  const flow = await user.call('DELETE', '/api/identities', { kind: 'FlowAddress', subject: '0x1654653399040a61' })
  expect(flow.statusCode).toBe(200)
})

test('attack 81: limits an account to a hundred identities', async () => {
  const { browser: user, account } = await signedInBrowser(service)
  await service.database.query(
    `WITH linked AS (INSERT INTO identity_subjects SELECT 'x' || n, 'Discord', $1 FROM generate_series(1, 99) AS n RETURNING *)
     INSERT INTO identities (account_id, kind, subject, linked_at) SELECT account_id, kind, subject, now() FROM linked`,
    [account.id],
  )
  const challenge = await challengeFor(wallet.address, { purpose: 'link' }, user)
  const response = await prove(challenge.id, wallet.sign(challenge.message), user)
  expect(response.json()).toMatchObject({ error: { code: 'too_many_identities' } })
})

describe('attack 84: replay of a signed message', () => {
  test('rejects a second use, also in parallel', async () => {
    const { id, message } = await challengeFor(wallet.address)
    const signature = wallet.sign(message)
    const csrf = await browser.csrfToken()
    const answer = () =>
      browser.send({
        method: 'POST',
        url: `/api/challenges/${id}/proof`,
        headers: { 'x-csrf-token': csrf },
        body: { signature },
      })
    const answers = await Promise.all(Array.from({ length: 5 }, answer))
    // The other requests have the session cookie of the first one or none.
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(answers.filter(({ statusCode }) => statusCode === 404 || statusCode === 403)).toHaveLength(4)
    expect((await prove(id, signature)).statusCode).toBe(404)
  })
  test('uses up the challenge with a wrong signature', async () => {
    const { id, message } = await challengeFor(wallet.address)
    expect((await prove(id, testWallet().sign(message))).statusCode).toBe(401)
    expect((await prove(id, wallet.sign(message))).statusCode).toBe(404)
  })
  test('rejects a signature for another challenge', async () => {
    const first = await challengeFor(wallet.address)
    const second = await challengeFor(wallet.address)
    expect((await prove(second.id, wallet.sign(first.message))).statusCode).toBe(401)
  })
  test('rejects a signature after five minutes', async () => {
    const { id, message } = await challengeFor(wallet.address)
    service.clock.advance(5 * 60_000)
    expect((await prove(id, wallet.sign(message))).statusCode).toBe(404)
  })
})

test('attack 85: uses the configured domain, URI, chain and times in the text, regardless of the request', async () => {
  const response = await browser.send({
    method: 'POST',
    url: '/api/challenges',
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-csrf-token': await browser.csrfToken() },
    body: { kind: 'EVMAddress', purpose: 'sign-in', address: wallet.address, chainId: 10 },
  })
  const now = service.clock.now()
  const nonce = /Nonce: ([0-9A-Za-z]{24})/.exec(response.json<Challenge>().message)?.[1]
  expect(response.json<Challenge>().message).toBe(
    [
      'id.questboard.test wants you to sign in with your Ethereum account:',
      wallet.address,
      '',
      'Sign in to Questboard with this EVM wallet.',
      '',
      'URI: https://id.questboard.test',
      'Version: 1',
      'Chain ID: 10',
      `Nonce: ${nonce}`,
      `Issued At: ${new Date(now).toISOString()}`,
      `Expiration Time: ${new Date(now + 300_000).toISOString()}`,
    ].join('\n'),
  )
})

test('attack 86: rejects a valid signature of another text', async () => {
  const changes: ((message: string) => string)[] = [
    (message) => `${message}\n`,
    (message) => ` ${message}`,
    (message) => message.replace('id.questboard.test', 'id.questb0ard.test'),
    (message) => message.replace(wallet.address, wallet.address.toLowerCase()),
    (message) => message.replace('Chain ID: 1', 'Chain ID: 2'),
    (message) => `${message}\nResources:\n- https://evil.example`,
    () => 'hello',
    () => '',
  ]
  for (const change of changes) {
    const { id, message } = await challengeFor(wallet.address)
    expect((await prove(id, wallet.sign(change(message)))).statusCode).toBe(401)
  }
})

test('attack 86: requires a correct checksum for addresses in mixed case', async () => {
  const wrong = wallet.address.replace(/[a-f]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  const refusedAnswer = await browser.call('POST', '/api/challenges', {
    kind: 'EVMAddress',
    purpose: 'sign-in',
    address: wrong,
  })
  expect(refusedAnswer.statusCode).toBe(400)
  expect(refusedAnswer.json()).toMatchObject({ error: { code: 'invalid_address', field: 'address' } })
  const { id, message } = await challengeFor(wallet.address.toLowerCase())
  expect(message).toContain(wallet.address)
  expect((await prove(id, wallet.sign(message))).statusCode).toBe(200)
})

describe('attack 87: encodings of a signature', () => {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const hex = (number: bigint) => number.toString(16).padStart(64, '0')
  const v = (recovery: number) => (27 + recovery).toString(16)
  test.each<[string, (raw: { r: string; s: string; recovery: number }) => unknown]>([
    ['high s with flipped v', ({ r, s, recovery }) => `0x${r}${hex(order - BigInt(`0x${s}`))}${v(1 - recovery)}`],
    ['wrong v', ({ r, s, recovery }) => `0x${r}${s}${v(1 - recovery)}`],
    ['v 29', ({ r, s }) => `0x${r}${s}1d`],
    ['v 2', ({ r, s }) => `0x${r}${s}02`],
    ['v 255', ({ r, s }) => `0x${r}${s}ff`],
    ['64 bytes', ({ r, s }) => `0x${r}${s}`],
    ['66 bytes', ({ r, s, recovery }) => `0x${r}${s}${v(recovery)}00`],
    ['no prefix', ({ r, s, recovery }) => `${r}${s}${v(recovery)}`],
    ['r zero', ({ s, recovery }) => `0x${'0'.repeat(64)}${s}${v(recovery)}`],
    ['s zero', ({ r, recovery }) => `0x${r}${'0'.repeat(64)}${v(recovery)}`],
    ['r of the order', ({ s, recovery }) => `0x${hex(order)}${s}${v(recovery)}`],
    ['empty', () => ''],
    ['not hex', () => `0x${'zz'.repeat(65)}`],
    ['a number', () => 5],
    ['missing', () => undefined],
    ['huge', () => `0x${'00'.repeat(9000)}`],
  ])('rejects %s', async (_, encode) => {
    const { id, message } = await challengeFor(wallet.address)
    const answer = await prove(id, encode(wallet.signRaw(message)))
    expect([400, 401]).toContain(answer.statusCode)
    expect(browser.cookies.has('__Host-questboard-session')).toBe(false)
  })
  test('accepts v 0 and 1 of hardware wallets', async () => {
    const { id, message } = await challengeFor(wallet.address)
    const { r, s, recovery } = wallet.signRaw(message)
    expect((await prove(id, `0x${r}${s}0${recovery}`)).statusCode).toBe(200)
  })
})

test('attack 88: includes kind and chain in the signed text, and rejects a proof of another kind', async () => {
  const { id, message } = await challengeFor(wallet.address)
  expect(message).toContain('with this EVM wallet.')
  expect(message).toContain('Chain ID: 1\n')
  const answer = await browser.call('POST', `/api/challenges/${id}/proof`, { credential: { id: 'x' } })
  expect(answer.statusCode).toBe(400)
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RateLimit, challengesByNetwork, refusedCodesByNetwork } from '../../src/rate-limits/limits.ts'
import { countAttempt } from '../../src/rate-limits/fixed-window.ts'
import { MAIL_CODE_LENGTH, MAX_CODE_ATTEMPTS, newMailCode } from '../../src/identity/mail-code.ts'
import { mailsToAddress, mailsToKnownNetworks } from '../../src/identity/mail-limits.ts'
import { sendMail } from '../../src/outgoing/send-mail.ts'
import { systemRandom } from '../../src/random.ts'
import { hashOf } from '../../src/secrets/hashes.ts'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'
import { confirm, type Offer } from './merging.ts'
import { type MailServer, startMailServer } from './upstreams/mail-server.ts'
import { challenge, identitiesOf, prove, expectRejected } from './wallet-proof.ts'

let mail: MailServer
let service: SignInService
let browser: Browser
let address: string
let count = 0
beforeAll(async () => {
  mail = await startMailServer()
  const settings = { QUESTBOARD_SMTP_URL: mail.url, QUESTBOARD_MAIL_FROM: 'Questboard <no-reply@questboard.test>' }
  service = await startSignIn({ settings })
})
beforeEach(() => {
  service.clock.advance(61_000)
  mail.refusing = false
  browser = openBrowser(service.fastify)
  address = `user${count++}@example.com`
})
afterAll(async () => {
  await Promise.all([service.close(), mail.close()])
})

const kind = 'Email'
const codeOfLastMail = () => /Your code: ([0-9A-Z-]{15})/.exec(mail.mails.at(-1)?.raw ?? '')?.[1] as string

test('signs in with the code of a mail that names the site and the purpose', async () => {
  const response = await prove(browser, { kind, address }, () => ({ code: ` ${codeOfLastMail()} ` }))
  expect(identitiesOf(response)).toMatchObject([{ kind, subject: address }])
  expect(mail.mails.at(-1)?.to).toEqual([address])
  expect(mail.mails.at(-1)?.raw).toContain('Sign in to Questboard with this email address.')
  expect(mail.mails.at(-1)?.raw).toContain('https://id.questboard.test')
})

test('ignores the case of an address', async () => {
  await prove(browser, { kind, address }, () => ({ code: codeOfLastMail() }))
  const again = await prove(openBrowser(service.fastify), { kind, address: address.toUpperCase() }, () => ({
    code: codeOfLastMail(),
  }))
  expect(identitiesOf(again)).toMatchObject([{ subject: address }])
})

test('accepts a code in lower case, without dashes, with letters that look like its digits', async () => {
  const typed = () => codeOfLastMail().toLowerCase().replaceAll('-', '').replaceAll('0', 'o').replaceAll('1', 'l')
  for (let attempt = 0; attempt < 10; attempt++) {
    const mailbox = `${attempt}-${address}`
    const response = await prove(openBrowser(service.fastify), { kind, address: mailbox }, () => ({ code: typed() }))
    expect(identitiesOf(response)).toMatchObject([{ subject: mailbox }])
  }
})

test('limits the chance to guess a code to that of one attempt at 10 characters of 62', () => {
  const codes = Array.from({ length: 200 }, () => newMailCode(systemRandom))
  const alphabet = new Set(codes.join(''))
  expect(alphabet.size).toBe(32)
  expect(MAX_CODE_ATTEMPTS / alphabet.size ** MAIL_CODE_LENGTH).toBeLessThan(1 / 62 ** 10)
})

const answering =
  (id: string, asker = browser) =>
  (code: unknown) =>
    asker.call('POST', `/api/challenges/${id}/proof`, { code })
const wrong = '0000-00000-0000'

test('accepts the code after wrong ones, once', async () => {
  const { id } = await challenge(browser, { kind, address })
  const send = answering(id)
  const refused = await send(wrong)
  expectRejected(refused, 401, 'bad_signature')
  expect(refused.json()).toMatchObject({
    error: { field: 'code', fault: { code: 'wrong_code', parameters: { left: 4 } } },
  })
  const malformed = await send('12345')
  expectRejected(malformed, 400, 'bad_request')
  const message = 'code must be the 13 letters and digits of the email; 3 attempts are left'
  expect(malformed.json()).toMatchObject({ error: { field: 'code', message } })
  const code = codeOfLastMail()
  expect(identitiesOf(await send(code))).toMatchObject([{ subject: address }])
  expectRejected(await send(code), 404, 'challenge_gone')
})

test('voids the code with the last wrong attempt', async () => {
  const { id } = await challenge(browser, { kind, address })
  const send = answering(id)
  for (let attempt = 1; attempt < MAX_CODE_ATTEMPTS; attempt++) expectRejected(await send(wrong), 401, 'bad_signature')
  expectRejected(await send(wrong), 401, 'no_attempts_left')
  expectRejected(await send(codeOfLastMail()), 404, 'challenge_gone')
})

test('counts concurrent wrong codes', async () => {
  const { id } = await challenge(browser, { kind, address })
  const answers = await Promise.all(Array.from({ length: 30 }, () => answering(id)(wrong)))
  const judged = answers.filter(({ statusCode }) => statusCode === 401)
  expect(judged.length).toBeLessThanOrEqual(MAX_CODE_ATTEMPTS)
  expect(answers).toHaveLength(judged.length + answers.filter(({ statusCode }) => statusCode === 404).length)
})

test('limits a network with many wrong codes to two attempts per code, and accepts a correct one', async () => {
  advanceHour()
  const asker = network('203.0.113.77')
  await exhaust(refusedCodesByNetwork, '203.0.113.77')
  const { id } = await challenge(asker, { kind, address })
  expectRejected(await answering(id, asker)(wrong), 401, 'bad_signature')
  expectRejected(await answering(id, asker)(wrong), 401, 'no_attempts_left')
  expect(identitiesOf(await prove(asker, { kind, address }, readCode))).toMatchObject([{ subject: address }])
})

test('rejects the code in another browser and for another address', async () => {
  const { id } = await challenge(browser, { kind, address })
  const code = codeOfLastMail()
  const other = openBrowser(service.fastify)
  expectRejected(await other.call('POST', `/api/challenges/${id}/proof`, { code }), 404, 'challenge_gone')
  expectRejected(await prove(other, { kind, address: 'attacker@example.com' }, () => ({ code })), 401, 'bad_signature')
})

test('does not store the code in plain text', async () => {
  await challenge(browser, { kind, address })
  const rows = await service.database.query<{ stored: unknown }>('SELECT stored FROM challenges')
  expect(JSON.stringify(rows)).not.toContain(codeOfLastMail())
  expect(JSON.stringify(rows)).not.toContain(codeOfLastMail().replaceAll('-', ''))
})

test.each([
  'nobody',
  'a@b',
  'a@b.c\r\nBcc: victim@example.com',
  'a@example.com, victim@example.com',
  '"a b"@example.com',
  '<a@example.com>',
  'a@exämple.com',
  'a@[127.0.0.1]',
  '@example.com',
])('rejects the email address %j', async (text) => {
  const before = mail.mails.length
  const response = await browser.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address: text })
  expectRejected(response, 400, 'invalid_address')
  expect(mail.mails).toHaveLength(before)
})

const askFor = (mailbox: string, asker: Browser) =>
  asker.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address: mailbox })
/** Sends concurrent requests and counts the responses by status. */
async function sendConcurrently(
  requests: number,
  ask: () => ReturnType<typeof askFor>,
): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: requests }, ask))
  const statuses = Map.groupBy(answers, ({ statusCode }) => statusCode)
  return Object.fromEntries([...statuses].map(([status, { length }]) => [status, length]))
}
const network = (name: string) => openBrowser(service.fastify, name)
const readCode = () => ({ code: codeOfLastMail() })
const exhaust = (limit: RateLimit, subject: string) =>
  Promise.all(Array.from({ length: limit.max }, () => countAttempt(service.services, limit, subject)))
const keyOf = (mailbox: string) => hashOf(mailbox).toString('hex')
/** Advances the clock to the next window of the mail limits. */
const advanceHour = () => service.clock.advance(60 * 60_000)
/** A browser in another network with only the cookie that marks a known browser. */
function markedAs(other: Browser, name: string): Browser {
  const browser = network(name)
  for (const [cookie, value] of other.cookies) if (cookie.endsWith('proved')) browser.cookies.set(cookie, value)
  return browser
}
/** Whether a browser still receives mail after unknown browsers exhausted the limit of its network. */
async function isKnown(mailbox: string, other: Browser): Promise<boolean> {
  advanceHour()
  expect(await sendConcurrently(5, () => askFor(mailbox, network('203.0.113.9')))).toEqual({ 201: 5 })
  return (await askFor(mailbox, markedAs(other, '203.0.113.9'))).statusCode === 201
}

test('limits mails per mailbox to five an hour by network and thirty in total, with extra for known networks and browsers', async () => {
  service.clock.advance(60 * 60_000)
  const user = network('198.51.100.7')
  await prove(user, { kind, address }, () => ({ code: codeOfLastMail() }))
  service.clock.advance(60 * 60_000)
  for (let one = 1; one <= 6; one++)
    // Rejected requests do not count towards the total.
    expect(await sendConcurrently(6, () => askFor(address, network(`203.0.113.${one}`)))).toEqual({ 201: 5, 429: 1 })
  const response = await askFor(address, network('203.0.113.7'))
  expectRejected(response, 429, 'too_many_requests')
  expect(response.headers['retry-after']).toMatch(/^\d+$/)
  // Another browser in the network of an earlier sign-in.
  expect(await sendConcurrently(6, () => askFor(address, network('198.51.100.7')))).toEqual({ 201: 5, 429: 1 })
  // The browser of the earlier sign-in, in another network.
  const away = network('203.0.113.1')
  for (const [name, value] of user.cookies) away.cookies.set(name, value)
  expect(await sendConcurrently(6, () => askFor(address, away))).toEqual({ 201: 5, 429: 1 })
  // An address with a plus tag has the same mailbox.
  const [name = '', host = ''] = address.split('@')
  expect((await askFor(`${name}+one@${host}`, network('203.0.113.8'))).statusCode).toBe(429)
  const response2 = await askFor('another@example.com', away)
  expect(response2.statusCode).toBe(201)
})

test('recognises a browser by its cookie for its last four mailboxes, and rejects forged cookies', async () => {
  service.clock.advance(60 * 60_000)
  const proved = Array.from({ length: 5 }, (_, n) => `known${n}-${address}`)
  for (const mailbox of proved) await prove(browser, { kind, address: mailbox }, () => ({ code: codeOfLastMail() }))
  service.clock.advance(60 * 60_000)
  const cookie = [...browser.cookies.keys()].find((name) => name.endsWith('proved')) as string
  const given = browser.cookies.get(cookie) as string
  const unknownBrowser = () => network('203.0.113.9')
  const askWith = async (mailbox: string, value: string) => {
    const asker = unknownBrowser()
    asker.cookies.set(cookie, value)
    return (await askFor(mailbox, asker)).statusCode
  }
  const [first, second, , , last] = proved as [string, string, string, string, string]
  for (const mailbox of [first, second, last])
    expect(await sendConcurrently(5, () => askFor(mailbox, unknownBrowser()))).toEqual({ 201: 5 })
  // The cookie contains the last four mailboxes.
  expect([await askWith(first, given), await askWith(second, given), await askWith(last, given)]).toEqual([
    429, 201, 201,
  ])
  const [name = '', ...marks] = given.split('.')
  const time = marks[0]?.slice(0, 13) as string
  for (const forged of [
    `${'0'.repeat(22)}.${marks.join('.')}`,
    `${name}.${time}${'A'.repeat(43)}`,
    `${name}.${Number(time) + 1}${marks[0]?.slice(13)}`,
    name,
    given.slice(1),
    '',
  ])
    expect(await askWith(last, forged)).toBe(429)
})

test('limits all known browsers of a mailbox to thirty mails in total', async () => {
  advanceHour()
  const browsers: Browser[] = []
  for (let one = 1; one <= 8; one++) {
    const fresh = network(`198.51.100.${one}`)
    await prove(fresh, { kind, address }, readCode)
    browsers.push(fresh)
  }
  // An address with a tag can be the mailbox of another user.
  const tagged = address.replace('@', '+tag@')
  const neighbour = network('198.51.100.9')
  await prove(neighbour, { kind, address: tagged }, readCode)
  advanceHour()
  let asked = 0
  // Above thirty, the limit for unknown browsers applies: five per network.
  expect(
    await sendConcurrently(40, () => askFor(address, markedAs(browsers[asked++ % 8] as Browser, '203.0.113.20'))),
  ).toEqual({
    201: 35,
    429: 5,
  })
  expect((await askFor(tagged, markedAs(neighbour, '203.0.113.20'))).statusCode).toBe(201)
  // Networks of earlier sign-ins have the same limit.
  await exhaust(mailsToAddress, keyOf(address))
  expect((await askFor(address, network('198.51.100.1'))).statusCode).toBe(201)
  await exhaust(mailsToKnownNetworks, keyOf(address))
  expect((await askFor(address, network('198.51.100.2'))).statusCode).toBe(429)
})

test('keeps the known networks of both accounts after a merge', async () => {
  await prove(network('198.51.100.30'), { kind, address }, readCode)
  const kept = network('198.51.100.31')
  await signInWithWallet(kept)
  const proof = await prove(kept, { kind, address, purpose: 'merge' }, readCode)
  expect((await confirm(kept, proof.json<{ merge: Offer }>().merge.id)).statusCode).toBe(200)
  advanceHour()
  await exhaust(mailsToAddress, keyOf(address))
  for (const [from, status] of [
    ['198.51.100.30', 201],
    ['198.51.100.31', 201],
    ['198.51.100.32', 429],
  ] as const)
    expect((await askFor(address, network(from))).statusCode, from).toBe(status)
})

test('exempts a known browser from the challenge limit of its network', async () => {
  const user = network('198.51.100.40')
  await prove(user, { kind, address }, readCode)
  await exhaust(challengesByNetwork, '198.51.100.40')
  expect((await askFor(address, network('198.51.100.40'))).statusCode).toBe(429)
  expect((await askFor(`other-${address}`, user)).statusCode).toBe(429)
  expect((await askFor(address, user)).statusCode).toBe(201)
})

test('limits mails per network to sixty an hour', async () => {
  service.clock.advance(60 * 60_000)
  const to = (name: string) => () => askFor(`user${count++}@example.com`, network(name))
  expect(await sendConcurrently(61, to('198.51.100.1'))).toEqual({ 201: 60, 429: 1 })
  expect(await sendConcurrently(1, to('198.51.100.2'))).toEqual({ 201: 1 })
})

test('returns 503 and creates no challenge if the mail server rejects the mail', async () => {
  mail.refusing = true
  const response = await browser.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address })
  expectRejected(response, 503, 'unavailable')
})

test('does not count mails that were not delivered to the mail server', async () => {
  const asker = network('198.51.100.50')
  mail.refusing = true
  for (let one = 1; one <= 6; one++) expect((await askFor(address, asker)).statusCode).toBe(503)
  mail.refusing = false
  expect(await sendConcurrently(6, () => askFor(address, asker))).toEqual({ 201: 5, 429: 1 })
  const { config, log } = service.services
  const nowhere = { server: 'smtp://127.0.0.1:1', from: 'no-reply@questboard.test' }
  const to = { to: address, subject: 'subject', text: 'text' }
  expect(await sendMail({ config: { ...config, identity: { ...config.identity, mail: nowhere } }, log }, to)).toBe(
    'refused',
  )
})

test('attack 81: rejects linking an email address that belongs to another account', async () => {
  await prove(browser, { kind, address }, () => ({ code: codeOfLastMail() }))
  const user = openBrowser(service.fastify)
  await signInWithWallet(user)
  const link = await prove(user, { kind, address, purpose: 'link' }, () => ({ code: codeOfLastMail() }))
  expectRejected(link, 409, 'identity_taken')
})

test('recognises a browser for a year, until all sessions end or the address is unlinked', async () => {
  const user = network('198.51.100.60')
  await prove(user, { kind, address }, readCode)
  expect(await isKnown(address, user)).toBe(true)
  expect((await user.call('DELETE', '/api/sessions')).statusCode).toBe(204)
  expect(await isKnown(address, user)).toBe(false)
  await prove(user, { kind, address }, readCode)
  expect(await isKnown(address, user)).toBe(true)

  await prove(user, { kind, address }, readCode)
  const wallet = testWallet()
  const link = { kind: 'EVMAddress', address: wallet.address, purpose: 'link' } as const
  await prove(user, link, ({ message }) => ({ signature: wallet.sign(message) }))
  const unlinked = await user.call('DELETE', '/api/identities', { kind, subject: address })
  expect(unlinked.statusCode, unlinked.body).toBe(200)
  expect(await isKnown(address, user)).toBe(false)
  const next = network('198.51.100.61')
  const provedAt = service.clock.now()
  await prove(next, { kind, address }, readCode)
  expect(await isKnown(address, user)).toBe(false)
  service.clock.set(new Date(provedAt + 365 * 24 * 60 * 60_000 - 90 * 60_000).toISOString())
  expect(await isKnown(address, next)).toBe(true)
  expect(await isKnown(address, next)).toBe(false)
})

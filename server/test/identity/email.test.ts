import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type AttemptLimit,
  challengesByAddress,
  countAttempt,
  refusedCodesByNetwork,
} from '../../src/rate-limit/rate-limit.ts'
import { MAIL_CODE_LENGTH, MAX_CODE_ATTEMPTS, newMailCode } from '../../src/identity/mail-code.ts'
import { mailsToAddress, mailsToKnownNetworks } from '../../src/identity/mail-limits.ts'
import { sendMail } from '../../src/outgoing/send-mail.ts'
import { systemRandom } from '../../src/random.ts'
import { hashOf } from '../../src/secrets/oauth-token-format.ts'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'
import { confirm, type Offer } from './merging.ts'
import { type MailServer, startMailServer } from './upstreams/mail-server.ts'
import { challenge, identitiesOf, prove, refusedProof } from './wallet-proof.ts'

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

test('a code of the mail signs in, and the mail says where and for what', async () => {
  const response = await prove(browser, { kind, address }, () => ({ code: ` ${codeOfLastMail()} ` }))
  expect(identitiesOf(response)).toMatchObject([{ kind, subject: address }])
  expect(mail.mails.at(-1)?.to).toEqual([address])
  expect(mail.mails.at(-1)?.raw).toContain('Sign in to Questboard with this email address.')
  expect(mail.mails.at(-1)?.raw).toContain('https://id.questboard.test')
})

test('an address in another case is the same', async () => {
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

test('keeps the chance to guess a code at or below that of one attempt at 10 letters in two cases', () => {
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
  refusedProof(await send(wrong), 401, 'bad_signature')
  const malformed = await send('12345')
  refusedProof(malformed, 400, 'bad_request')
  const message = 'code must be the 13 letters and digits of the email; 3 attempts are left'
  expect(malformed.json()).toMatchObject({ error: { field: 'code', message } })
  const code = codeOfLastMail()
  expect(identitiesOf(await send(code))).toMatchObject([{ subject: address }])
  refusedProof(await send(code), 404, 'challenge_gone')
})

test('voids the code with the last wrong attempt', async () => {
  const { id } = await challenge(browser, { kind, address })
  const send = answering(id)
  for (let attempt = 1; attempt < MAX_CODE_ATTEMPTS; attempt++) refusedProof(await send(wrong), 401, 'bad_signature')
  refusedProof(await send(wrong), 401, 'no_attempts_left')
  refusedProof(await send(codeOfLastMail()), 404, 'challenge_gone')
})

test('does not let parallel wrong codes have more attempts', async () => {
  const { id } = await challenge(browser, { kind, address })
  const answers = await Promise.all(Array.from({ length: 30 }, () => answering(id)(wrong)))
  const judged = answers.filter(({ statusCode }) => statusCode === 401)
  expect(judged.length).toBeLessThanOrEqual(MAX_CODE_ATTEMPTS)
  expect(answers).toHaveLength(judged.length + answers.filter(({ statusCode }) => statusCode === 404).length)
})

test('keeps a network that sent many wrong codes to one more attempt a code, and still accepts a right one', async () => {
  nextHour()
  const asker = network('203.0.113.77')
  await useUp(refusedCodesByNetwork, '203.0.113.77')
  const { id } = await challenge(asker, { kind, address })
  refusedProof(await answering(id, asker)(wrong), 401, 'bad_signature')
  refusedProof(await answering(id, asker)(wrong), 401, 'no_attempts_left')
  expect(identitiesOf(await prove(asker, { kind, address }, readCode))).toMatchObject([{ subject: address }])
})

test('the code is worth nothing in another browser, nor for another address', async () => {
  const { id } = await challenge(browser, { kind, address })
  const code = codeOfLastMail()
  const other = openBrowser(service.fastify)
  refusedProof(await other.call('POST', `/api/challenges/${id}/proof`, { code }), 404, 'challenge_gone')
  refusedProof(await prove(other, { kind, address: 'attacker@example.com' }, () => ({ code })), 401, 'bad_signature')
})

test('the code does not stand in the database', async () => {
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
])('%j is no mail address', async (text) => {
  const before = mail.mails.length
  const response = await browser.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address: text })
  refusedProof(response, 400, 'invalid_address')
  expect(mail.mails).toHaveLength(before)
})

const askFor = (mailbox: string, asker: Browser) =>
  asker.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address: mailbox })
/** So many requests at once; how many of them were answered with each status. */
async function atOnce(requests: number, ask: () => ReturnType<typeof askFor>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: requests }, ask))
  const statuses = Map.groupBy(answers, ({ statusCode }) => statusCode)
  return Object.fromEntries([...statuses].map(([status, { length }]) => [status, length]))
}
const network = (name: string) => openBrowser(service.fastify, name)
const readCode = () => ({ code: codeOfLastMail() })
const useUp = (limit: AttemptLimit, who: string) =>
  Promise.all(Array.from({ length: limit.most }, () => countAttempt(service.services, limit, who)))
const keyOf = (mailbox: string) => hashOf(mailbox).toString('hex')
/** Another window than that of any mail before. */
const nextHour = () => service.clock.advance(60 * 60_000)
/** A browser in this network with nothing but the mark of another one. */
function markedAs(other: Browser, name: string): Browser {
  const browser = network(name)
  for (const [cookie, value] of other.cookies) if (cookie.endsWith('proved')) browser.cookies.set(cookie, value)
  return browser
}
/** Whether a browser gets a mail where strangers have used up what their network is sent. */
async function isKnown(mailbox: string, other: Browser): Promise<boolean> {
  nextHour()
  expect(await atOnce(5, () => askFor(mailbox, network('203.0.113.9')))).toEqual({ 201: 5 })
  return (await askFor(mailbox, markedAs(other, '203.0.113.9'))).statusCode === 201
}

test('a mailbox gets at most five mails an hour by one network and thirty by all; who signed in here before has a share', async () => {
  service.clock.advance(60 * 60_000)
  const user = network('198.51.100.7')
  await prove(user, { kind, address }, () => ({ code: codeOfLastMail() }))
  service.clock.advance(60 * 60_000)
  for (let one = 1; one <= 6; one++)
    // Beyond its five, a network does not use up those of others.
    expect(await atOnce(6, () => askFor(address, network(`203.0.113.${one}`)))).toEqual({ 201: 5, 429: 1 })
  const response = await askFor(address, network('203.0.113.7'))
  refusedProof(response, 429, 'too_many_requests')
  expect(response.headers['retry-after']).toMatch(/^\d+$/)
  // Another browser of the network that has signed in.
  expect(await atOnce(6, () => askFor(address, network('198.51.100.7')))).toEqual({ 201: 5, 429: 1 })
  // The browser that has signed in, there and on its way; another browser is not taken for it.
  const away = network('203.0.113.1')
  for (const [name, value] of user.cookies) away.cookies.set(name, value)
  expect(await atOnce(6, () => askFor(address, away))).toEqual({ 201: 5, 429: 1 })
  // What stands behind a plus is the same mailbox, though another address.
  const [name = '', host = ''] = address.split('@')
  expect((await askFor(`${name}+one@${host}`, network('203.0.113.8'))).statusCode).toBe(429)
  const response2 = await askFor('another@example.com', away)
  expect(response2.statusCode).toBe(201)
})

test('a browser is known for the mailboxes that it proved, for no other, and by what we gave it', async () => {
  service.clock.advance(60 * 60_000)
  const proved = Array.from({ length: 5 }, (_, n) => `known${n}-${address}`)
  for (const mailbox of proved) await prove(browser, { kind, address: mailbox }, () => ({ code: codeOfLastMail() }))
  service.clock.advance(60 * 60_000)
  const cookie = [...browser.cookies.keys()].find((name) => name.endsWith('proved')) as string
  const given = browser.cookies.get(cookie) as string
  const strangers = () => network('203.0.113.9')
  const askWith = async (mailbox: string, value: string) => {
    const asker = strangers()
    asker.cookies.set(cookie, value)
    return (await askFor(mailbox, asker)).statusCode
  }
  const [first, second, , , last] = proved as [string, string, string, string, string]
  for (const mailbox of [first, second, last])
    expect(await atOnce(5, () => askFor(mailbox, strangers()))).toEqual({ 201: 5 })
  // It keeps the last four.
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

test('whoever has a mailbox makes known browsers at will, and all of them have one share of thirty', async () => {
  nextHour()
  const browsers: Browser[] = []
  for (let one = 1; one <= 8; one++) {
    const fresh = network(`198.51.100.${one}`)
    await prove(fresh, { kind, address }, readCode)
    browsers.push(fresh)
  }
  // With a tag it may be the mailbox of somebody else.
  const tagged = address.replace('@', '+tag@')
  const neighbour = network('198.51.100.9')
  await prove(neighbour, { kind, address: tagged }, readCode)
  nextHour()
  let asked = 0
  // Beyond the thirty they are strangers: five of one network.
  expect(await atOnce(40, () => askFor(address, markedAs(browsers[asked++ % 8] as Browser, '203.0.113.20')))).toEqual({
    201: 35,
    429: 5,
  })
  expect((await askFor(tagged, markedAs(neighbour, '203.0.113.20'))).statusCode).toBe(201)
  // As are networks in which the account was signed in.
  await useUp(mailsToAddress, keyOf(address))
  expect((await askFor(address, network('198.51.100.1'))).statusCode).toBe(201)
  await useUp(mailsToKnownNetworks, keyOf(address))
  expect((await askFor(address, network('198.51.100.2'))).statusCode).toBe(429)
})

test('the account that another is merged into keeps the networks of both', async () => {
  await prove(network('198.51.100.30'), { kind, address }, readCode)
  const kept = network('198.51.100.31')
  await signInWithWallet(kept)
  const proof = await prove(kept, { kind, address, purpose: 'merge' }, readCode)
  expect((await confirm(kept, proof.json<{ merge: Offer }>().merge.id)).statusCode).toBe(200)
  nextHour()
  await useUp(mailsToAddress, keyOf(address))
  for (const [from, status] of [
    ['198.51.100.30', 201],
    ['198.51.100.31', 201],
    ['198.51.100.32', 429],
  ] as const)
    expect((await askFor(address, network(from))).statusCode, from).toBe(status)
})

test('a known browser does not wait for the challenges of others in its network', async () => {
  const user = network('198.51.100.40')
  await prove(user, { kind, address }, readCode)
  await useUp(challengesByAddress, '198.51.100.40')
  expect((await askFor(address, network('198.51.100.40'))).statusCode).toBe(429)
  expect((await askFor(`other-${address}`, user)).statusCode).toBe(429)
  expect((await askFor(address, user)).statusCode).toBe(201)
})

test('one network has at most sixty mails sent an hour, to whomever', async () => {
  service.clock.advance(60 * 60_000)
  const to = (name: string) => () => askFor(`user${count++}@example.com`, network(name))
  expect(await atOnce(61, to('198.51.100.1'))).toEqual({ 201: 60, 429: 1 })
  expect(await atOnce(1, to('198.51.100.2'))).toEqual({ 201: 1 })
})

test('a server that does not take the mail: unavailable, and no challenge', async () => {
  mail.refusing = true
  const response = await browser.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address })
  refusedProof(response, 503, 'unavailable')
})

test('a mail that the mail server refuses, or that never reaches it, is none of the five', async () => {
  const asker = network('198.51.100.50')
  mail.refusing = true
  for (let one = 1; one <= 6; one++) expect((await askFor(address, asker)).statusCode).toBe(503)
  mail.refusing = false
  expect(await atOnce(6, () => askFor(address, asker))).toEqual({ 201: 5, 429: 1 })
  const { config, log } = service.services
  const nowhere = { server: 'smtp://127.0.0.1:1', from: 'no-reply@questboard.test' }
  const to = { to: address, subject: 'subject', text: 'text' }
  expect(await sendMail({ config: { ...config, identity: { ...config.identity, mail: nowhere } }, log }, to)).toBe(
    'refused',
  )
})

test('attack 81: a mail address finds no account of another kind, and is not moved', async () => {
  await prove(browser, { kind, address }, () => ({ code: codeOfLastMail() }))
  const user = openBrowser(service.fastify)
  await signInWithWallet(user)
  const link = await prove(user, { kind, address, purpose: 'link' }, () => ({ code: codeOfLastMail() }))
  refusedProof(link, 409, 'identity_taken')
})

test('a browser is known for a year, until all sessions are ended or the address is unlinked', async () => {
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

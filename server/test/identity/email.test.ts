import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
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
const codeOfLastMail = () => /Your code: ([0-9A-Za-z]{10})/.exec(mail.mails.at(-1)?.raw ?? '')?.[1] as string

test('a code of the mail signs in, and the mail says where and for what', async () => {
  const response = await prove(browser, { kind, address }, () => ({ code: ` ${codeOfLastMail()} ` }))
  expect(identitiesOf(response)).toMatchObject([{ kind, subject: address }])
  expect(mail.mails.at(-1)?.to).toEqual([address])
  expect(mail.mails.at(-1)?.raw).toContain('Sign in to Questboard with this Email.')
  expect(mail.mails.at(-1)?.raw).toContain('https://id.questboard.test')
})

test('an address in another case is the same', async () => {
  await prove(browser, { kind, address }, () => ({ code: codeOfLastMail() }))
  const again = await prove(openBrowser(service.fastify), { kind, address: address.toUpperCase() }, () => ({
    code: codeOfLastMail(),
  }))
  expect(identitiesOf(again)).toMatchObject([{ subject: address }])
})

test('one wrong code is the end of the challenge', async () => {
  const { id } = await challenge(browser, { kind, address })
  const code = codeOfLastMail()
  const send = (given: unknown) => browser.call('POST', `/api/challenges/${id}/proof`, { code: given })
  refusedProof(await send('0000000000'), 401, 'bad_signature')
  refusedProof(await send(code), 404, 'challenge_gone')
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

test('a mailbox gets at most five mails an hour by one network, which locks no other out, and thirty in all', async () => {
  service.clock.advance(60 * 60_000)
  const ask = (network: string) =>
    openBrowser(service.fastify, network).call('POST', '/api/challenges', { kind, purpose: 'sign-in', address })
  for (let network = 1; network <= 6; network++) {
    for (let n = 0; n < 5; n++) expect((await ask(`203.0.113.${network}`)).statusCode).toBe(201)
    // Beyond its five, a network does not use up those of others.
    refusedProof(await ask(`203.0.113.${network}`), 429, 'too_many_requests')
  }
  const response = await ask('203.0.113.7')
  refusedProof(response, 429, 'too_many_requests')
  expect(response.headers['retry-after']).toMatch(/^\d+$/)
})

test('one network has at most sixty mails sent an hour, to whomever', async () => {
  service.clock.advance(60 * 60_000)
  const from = (network: string) => {
    const asker = openBrowser(service.fastify, network)
    return asker.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address: `user${count++}@example.com` })
  }
  for (let n = 0; n < 60; n++) expect((await from('198.51.100.1')).statusCode).toBe(201)
  refusedProof(await from('198.51.100.1'), 429, 'too_many_requests')
  expect((await from('198.51.100.2')).statusCode).toBe(201)
})

test('a server that does not take the mail: unavailable, and no challenge', async () => {
  mail.refusing = true
  const response = await browser.call('POST', '/api/challenges', { kind, purpose: 'sign-in', address })
  refusedProof(response, 503, 'unavailable')
})

test('attack 81: a mail address finds no account of another kind, and is not moved', async () => {
  await prove(browser, { kind, address }, () => ({ code: codeOfLastMail() }))
  const user = openBrowser(service.fastify)
  await signInWithWallet(user)
  const link = await prove(user, { kind, address, purpose: 'link' }, () => ({ code: codeOfLastMail() }))
  refusedProof(link, 409, 'identity_taken')
})

import { createHash, createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { widgetHash } from '../../../src/identity/social/telegram-widget.ts'
import { challenge, identitiesOf, prove, expectRejected } from '../../identity/wallet-proof.ts'
import { type Browser, openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

const botToken = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'
const kind = 'Telegram'
let service: SignInService
let browser: Browser
let id = 500
beforeAll(async () => {
  service = await startSignIn({ settings: { QUESTBOARD_TELEGRAM_BOT_TOKEN: botToken } })
})
beforeEach(() => {
  service.clock.advance(61_000)
  browser = openBrowser(service.fastify)
  id++
})
afterAll(() => service.close())

type Fields = Record<string, string>
const seconds = () => Math.floor(service.clock.now() / 1000)
const answer = (changes: Fields = {}): Fields => ({
  id: String(id),
  first_name: 'Ada',
  username: 'ada',
  auth_date: String(seconds()),
  ...changes,
})
const signed = (fields: Fields) => ({ ...fields, hash: widgetHash(botToken, fields).toString('hex') })

test('signs in with the widget if OpenID Connect is not configured, and identifies the user by id', async () => {
  const response = await prove(browser, { kind }, () => signed(answer()))
  expect(identitiesOf(response)).toMatchObject([{ kind, subject: String(id), username: 'ada' }])
})

test('stores no name for a user without a username, because display names can be usernames of others', async () => {
  const fields = { id: String(id), first_name: 'durov', auth_date: String(seconds()) }
  const response = await prove(browser, { kind }, () => signed(fields))
  expect(identitiesOf(response)).toMatchObject([{ kind, subject: String(id), username: null }])
})

test('computes the hash as Telegram documents: HMAC of the sorted lines with the SHA-256 of the token', () => {
  const key = createHash('sha256').update(botToken).digest()
  const expected = createHmac('sha256', key).update('auth_date=2\nfirst_name=A\nid=1').digest()
  expect(widgetHash(botToken, { id: '1', first_name: 'A', auth_date: '2' })).toEqual(expected)
})

test.each<[string, (fields: Fields) => object]>([
  ['a wrong hash', (fields) => ({ ...signed(fields), hash: '0'.repeat(64) })],
  ['another id under the same hash', (fields) => ({ ...signed(fields), id: '1' })],
  ['a field left out', (fields) => ({ ...signed(fields), username: undefined })],
  ['a stale auth_date', (fields) => signed({ ...fields, auth_date: String(seconds() - 3600) })],
  ['a future auth_date', (fields) => signed({ ...fields, auth_date: String(seconds() + 3600) })],
  ['an unknown field', (fields) => signed({ ...fields, role: 'admin' })],
  ['a newline in a value', (fields) => signed({ ...fields, first_name: `A\nid=1` })],
  ['an empty hash', (fields) => ({ ...fields, hash: '' })],
  ['no hash', (fields) => fields],
  ['a short hash', (fields) => ({ ...fields, hash: signed(fields).hash.slice(0, 32) })],
  ['an upper-case hash', (fields) => ({ ...fields, hash: `A${signed(fields).hash.slice(1).toUpperCase()}` })],
  ['an id of another shape', (fields) => signed({ ...fields, id: '-5' })],
  [
    'the key of a Mini App',
    (fields) => {
      const key = createHmac('sha256', 'WebAppData').update(botToken).digest()
      const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
      return { ...fields, hash: createHmac('sha256', key).update(lines.sort().join('\n')).digest('hex') }
    },
  ],
])('attack 80: rejects %s', async (_, make) => {
  const response = await prove(browser, { kind }, () => make(answer()))
  expect([400, 401]).toContain(response.statusCode)
  expect(browser.cookies.has('__Host-questboard-session')).toBe(false)
})

test('attack 80: rejects a repeated response, also for another challenge in another browser', async () => {
  const given = await challenge(browser, { kind })
  const proof = signed(answer())
  expect((await browser.call('POST', `/api/challenges/${given.id}/proof`, proof)).statusCode).toBe(200)
  expectRejected(await prove(openBrowser(service.fastify), { kind }, () => proof), 401, 'bad_signature')
})

import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  approvedApp,
  codeFor,
  postForm,
  redeemCode,
  refreshTokens,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokenDetail,
  type Tokens,
  tokensFor,
  userData,
} from '../../support/oauth-flow.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let app: TestApp
let user: SignedIn
/** Without the mark of signed-in members, which pages read. */
const secretCookies = () =>
  [...user.browser.cookies].flatMap(([name, value]) => (name.endsWith('-signed-in') ? [] : [value]))
let pair: Tokens
const written: string[] = []
const issued: string[] = []
beforeAll(async () => {
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => written.push(chunk.toString()))
  service = await startSignIn({ log: pino({ level: 'trace' }, stream) })
  app = await approvedApp(service, { expiringTokens: true })
  user = await signedInBrowser(service)
  pair = await tokensFor(service, user.browser, app, { scope: 'EVMAddress openid' })
  const code = await codeFor(user.browser, app)
  const unspent = await codeFor(user.browser, app)
  const second = (await redeemCode(service, app, code)).json<Tokens>()
  await redeemCode(service, app, code)
  await redeemCode(service, { ...app, secret: `${app.secret}x` }, unspent)
  await refreshTokens(service, app, pair.refresh_token as string, { scope: 'Discord' })
  await userData(service, second.access_token)
  await tokenDetail(service, `${pair.access_token}x`)
  await postForm(service, '/oauth/revoke', { token: second.access_token, client_id: app.clientId })
  issued.push(app.secret, code, unspent, ...secretCookies(), await user.browser.csrfToken())
  for (const tokens of [pair, second]) issued.push(tokens.access_token, tokens.refresh_token as string)
})
afterAll(() => service.close())

test('attack 59: rejects all values of the database as credentials, in any encoding', async () => {
  const tables = await service.database.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  const values = new Set<string>()
  for (const { table_name } of tables) {
    const rows = await service.database.query(`SELECT * FROM ${table_name}`)
    collect(rows, values)
  }
  expect(values.size).toBeGreaterThan(100)
  for (const value of values) {
    expect(issued).not.toContain(value)
    const dressed = [value, ...['qbu_', 'qbr_', 'qbc_', 'qbx_'].map((prefix) => prefix + value)]
    for (const token of dressed.filter((text) => /^[\x21-\x7e]{1,4000}$/.test(text)))
      expect((await tokenDetail(service, token)).statusCode).not.toBe(200)
    if (!/^[0-9A-Za-z]{43}$/.test(value)) continue
    const intruder = openBrowser(service.fastify)
    intruder.cookies.set('__Host-questboard-session', value)
    expect((await intruder.get('/api/session')).json()).toMatchObject({ account: null })
  }
})

test('attack 60: logs no code, token, secret, cookie or CSRF token', () => {
  const log = written.join('')
  expect(log).toContain('security event')
  expect(log).toContain('OAuth request refused')
  for (const value of issued) {
    expect(value.length).toBeGreaterThan(30)
    expect(log).not.toContain(value)
    expect(log).not.toContain(value.slice(4, 30))
  }
})

function collect(value: unknown, into: Set<string>): void {
  if (Buffer.isBuffer(value))
    for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const) into.add(value.toString(encoding))
  else if (typeof value === 'string') into.add(value)
  else if (value instanceof Date) into.add(value.toISOString())
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part, into)
}

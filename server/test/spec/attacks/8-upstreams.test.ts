import { generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pino } from 'pino'
import { json } from '../../identity/upstreams/answers.ts'
import {
  clientId,
  clientSecret,
  type OauthUpstream,
  startOauthUpstream,
  upstreamSettings,
} from '../../identity/upstreams/oauth-upstream.ts'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import { approvedApp, countRows, tokensFor, userData } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let upstream: OauthUpstream
let service: SignInService
let browser: Browser
let nextId = 1000
const written: string[] = []
beforeAll(async () => {
  upstream = await startOauthUpstream()
  const stream = { write: (line: string) => void written.push(line) }
  service = await startSignIn({ settings: upstreamSettings(upstream.url), log: pino({ level: 'trace' }, stream) })
  upstream.now = () => service.clock.now()
})
beforeEach(() => {
  service.clock.advance(61_000)
  upstream.override.clear()
  upstream.idToken = upstream.sign
  upstream.requests.length = 0
  browser = openBrowser(service.fastify)
  nextId++
})
afterAll(async () => {
  await Promise.all([service.close(), upstream.close()])
})

const users = {
  Discord: (id: number, name: string) => ({ id: String(id), username: name, global_name: 'Somebody' }),
  Github: (id: number, name: string) => ({ id, login: name, avatar_url: '' }),
  Twitter: (id: number, name: string) => ({ data: { id: String(id), username: name, name: 'Somebody' } }),
  Telegram: (id: number, name: string) => ({ id, preferred_username: name, name: 'Somebody' }),
}
type Kind = keyof typeof users
const kinds = Object.keys(users) as Kind[]
const tokenPaths: Record<Kind, string> = {
  Discord: '/api/v10/oauth2/token',
  Github: '/login/oauth/access_token',
  Twitter: '/2/oauth2/token',
  Telegram: '/token',
}

async function start(kind: Kind, query = '', asker = browser): Promise<string> {
  const response = await asker.get(`/identity/${kind}/start${query}`)
  expect(response.statusCode, response.body).toBe(303)
  return String(response.headers.location)
}
const callback = (kind: Kind, query: URLSearchParams, asker = browser) =>
  asker.get(`/identity/${kind}/callback?${query.toString()}`)

async function signInAt(kind: Kind, user: unknown = users[kind](nextId, 'octocat'), asker = browser) {
  return callback(kind, upstream.consent(await start(kind, '', asker), user), asker)
}

interface Account {
  id: string
  identities: { kind: string; subject: string; username: string | null }[]
}
async function accountOf(asker = browser): Promise<Account | null> {
  return (await asker.get('/api/session')).json<{ account: Account | null }>().account
}

/** Expects no session and a redirect to the first page with the reason. */
async function failed(response: { statusCode: number; headers: Record<string, unknown> }, code: string) {
  expect(response.statusCode).toBe(303)
  expect(String(response.headers.location)).toContain(`/?identity_error=${code}`)
  expect(await accountOf()).toBeNull()
}

describe.each(kinds)('%s', (kind) => {
  test('signs in and identifies the user by the immutable id', async () => {
    const response = await signInAt(kind)
    expect(response.headers.location).toBe('/')
    expect((await accountOf())?.identities).toMatchObject([{ kind, subject: String(nextId), username: 'octocat' }])
  })

  test('attack 75: accepts a state once, in the same browser, for five minutes', async () => {
    const query = upstream.consent(await start(kind), users[kind](nextId, 'a'))
    const foreign = openBrowser(service.fastify)
    await foreign.csrfToken()
    const before = await countRows(service)
    expect((await callback(kind, query, foreign)).statusCode).toBe(400)
    expect((await callback(kind, query, openBrowser(service.fastify))).statusCode).toBe(400)
    for (const state of ['', 'x', '0'.repeat(43), "';--", 'a'.repeat(5000)])
      expect((await callback(kind, new URLSearchParams({ code: 'x', state }))).statusCode).toBe(400)
    expect(await countRows(service)).toEqual(before)
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(0)
    expect((await callback(kind, query)).statusCode).toBe(303)
    expect((await callback(kind, query)).statusCode).toBe(400)
    const late = upstream.consent(await start(kind), users[kind](nextId, 'a'))
    service.clock.advance(5 * 60_000)
    expect((await callback(kind, late)).statusCode).toBe(400)
  })

  test('attack 76: rejects state and code at the callback of another kind', async () => {
    const other = kind === 'Discord' ? 'Github' : 'Discord'
    const query = upstream.consent(await start(kind), users[kind](nextId, 'a'))
    expect((await callback(other, query)).statusCode).toBe(400)
    expect(await accountOf()).toBeNull()
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(0)
  })

  test('attack 76: rejects a wrong iss without sending the code', async () => {
    const query = upstream.consent(await start(kind), users[kind](nextId, 'a'))
    query.set('iss', 'https://evil.example')
    await failed(await callback(kind, query), 'bad_request')
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(0)
  })

  test('attack 77: rejects the code of another attempt (PKCE)', async () => {
    const attacker = openBrowser(service.fastify)
    const stolen = upstream.consent(await start(kind, '', attacker), users[kind](nextId, 'attacker'))
    const own = upstream.consent(await start(kind), users[kind](nextId, 'a'))
    own.set('code', stolen.get('code') as string)
    await failed(await callback(kind, own), 'bad_signature')
  })

  test('attack 83: identifies users by id when names change or pass to another user', async () => {
    await signInAt(kind, users[kind](nextId, 'octocat'))
    const first = await accountOf()
    const renamed = openBrowser(service.fastify)
    await signInAt(kind, users[kind](nextId, 'newname'), renamed)
    expect(await accountOf(renamed)).toMatchObject({ id: first?.id, identities: [{ username: 'newname' }] })
    const squatter = openBrowser(service.fastify)
    await signInAt(kind, users[kind](++nextId, 'octocat'), squatter)
    expect((await accountOf(squatter))?.id).not.toBe(first?.id)
  })

  test('attack 81: requires a session and a request to link, and rejects identities of other accounts', async () => {
    await signInAt(kind, users[kind](nextId, 'a'))
    const owner = await accountOf()
    const user = openBrowser(service.fastify)
    expect((await user.get(`/identity/${kind}/start?purpose=link`)).statusCode).toBe(401)
    const account = await signInWithWallet(user)
    const foreignPage = await user.get(`/identity/${kind}/start?purpose=link`, { 'sec-fetch-site': 'cross-site' })
    expect(foreignPage.statusCode).toBe(403)
    const untold = await user.send({ method: 'GET', url: `/identity/${kind}/start?purpose=link` })
    expect(untold.json()).toMatchObject({ error: { code: 'foreign_request' } })
    const taken = upstream.consent(await start(kind, '?purpose=link&return=/account', user), users[kind](nextId, 'a'))
    const refused = await callback(kind, taken, user)
    expect(refused.headers.location).toBe(`/account?identity_error=identity_taken&identity_kind=${kind}`)
    const free = upstream.consent(await start(kind, '?purpose=link', user), users[kind](++nextId, 'b'))
    expect((await callback(kind, free, user)).headers.location).toBe('/')
    const linked = await accountOf(user)
    expect(linked?.id).toBe(account.id)
    expect(linked?.identities.map((identity) => identity.kind).sort()).toEqual(['EVMAddress', kind].sort())
    expect(owner?.id).not.toBe(account.id)
  })

  test('attack 69: rejects an attempt to link that another user started', async () => {
    await signInWithWallet(browser)
    const query = upstream.consent(await start(kind, '?purpose=link'), users[kind](nextId, 'a'))
    await signInWithWallet(browser)
    const response = await callback(kind, query)
    expect(String(response.headers.location)).toContain('identity_error=session_changed')
    expect((await accountOf())?.identities).toHaveLength(1)
  })

  test('returns to the first page if the user refuses at the upstream', async () => {
    const { searchParams } = new URL(await start(kind))
    const query = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') as string })
    await failed(await callback(kind, query), 'access_denied')
  })

  describe('attack 90: fails if the upstream returns', () => {
    const answers: [string, (this: void, response: Parameters<typeof json>[0]) => void][] = [
      ['a redirect', (response) => response.writeHead(302, { location: `${upstream.url}/trap` }).end()],
      ['status 500', (response) => json(response, 500, {})],
      [
        'too long a response',
        (response) => json(response, 200, { access_token: 'x'.repeat(70_000), token_type: 'bearer' }),
      ],
      ['HTML', (response) => response.writeHead(200).end('<html>')],
      ['another token type', (response) => json(response, 200, { access_token: 'x', token_type: 'mac' })],
      ['nothing and closes the connection', (response) => response.destroy()],
    ]
    test.each(answers)('%s', async (_, answer) => {
      upstream.override.set(tokenPaths[kind], (_request, response) => answer(response))
      await failed(await signInAt(kind), 'unavailable')
      const sent = upstream.requests.filter(({ method }) => method === 'POST')
      expect(sent).toHaveLength(1)
      expect(upstream.requests.some(({ url }) => url === '/trap')).toBe(false)
    })
  })
})

test.each(['state', 'code', 'error', 'iss'])(
  'names %s if the callback has it twice, and keeps the attempt',
  async (name) => {
    const query = upstream.consent(await start('Github'), users.Github(nextId, 'a'))
    const refused = await callback('Github', new URLSearchParams([...query, [name, 'a'], [name, 'b']]))
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { error: { field: name } }])
    expect((await callback('Github', query)).headers.location).toBe('/')
  },
)

test('attack 78: treats an error of GitHub with status 200 as a failure', async () => {
  upstream.override.set('/login/oauth/access_token', (_request, response) =>
    json(response, 200, {
      error: 'bad_verification_code',
      error_description: 'The code passed is incorrect or expired.',
      access_token: 'never mind',
      token_type: 'bearer',
    }),
  )
  await failed(await signInAt('Github'), 'bad_signature')
  expect(upstream.requests.some(({ url }) => url === '/user')).toBe(false)
})

test.each([
  ['Discord', '/api/v10/users/@me', { id: 5, username: 'a' }],
  ['Discord', '/api/v10/users/@me', { id: '../5', username: 'a' }],
  ['Github', '/user', { id: -1, login: 'a' }],
  ['Github', '/user', { id: 1.5, login: 'a' }],
  ['Github', '/user', { login: 'a' }],
  ['Twitter', '/2/users/me', { data: { username: 'a' } }],
  ['Twitter', '/2/users/me', { errors: [{ title: 'Forbidden' }] }],
] as const)('attack 90: rejects a user of %s without a valid id', async (kind, path, body) => {
  upstream.override.set(path, (_request, response) => json(response, 200, body))
  await failed(await signInAt(kind), 'unavailable')
})

test.each(kinds)('attack 90: removes invisible characters from names of %s', async (kind) => {
  for (const [name, stored] of [
    ['a\u0000b', 'ab'],
    ['a\ud800b', 'ab'],
    ['a\u202eb\u2066', 'ab'],
    [' Zoë\n\u{1f600}\u200b x', 'Zoë\u{1f600} x'],
    ['x'.repeat(300), 'x'.repeat(100)],
    ['\u202e\u3164', null],
  ] as const) {
    browser = openBrowser(service.fastify)
    expect((await signInAt(kind, users[kind](nextId, name))).statusCode).toBe(303)
    expect((await accountOf())?.identities).toMatchObject([{ username: stored }])
  }
})

test('accepts only paths of this service to return to', async () => {
  for (const evil of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/a b', ''])
    expect((await browser.get(`/identity/Discord/start?return=${encodeURIComponent(evil)}`)).statusCode).toBe(400)
})

test('requests only the scopes that are needed', async () => {
  const url = new URL(await start('Discord', '?return=/account'))
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'https://id.questboard.test/identity/Discord/callback',
    state: expect.stringMatching(/^[0-9A-Za-z]{43}$/) as string,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    code_challenge_method: 'S256',
    nonce: expect.stringMatching(/^[0-9A-Za-z]{32}$/) as string,
    scope: 'identify',
  })
})

describe('attack 79: Telegram id_tokens', () => {
  const change = (claims: JWTPayload) => (original: JWTPayload) => upstream.sign({ ...original, ...claims })
  const without = (name: string) => (original: JWTPayload) =>
    upstream.sign(Object.fromEntries(Object.entries(original).filter(([key]) => key !== name)))
  const cases: [string, (claims: JWTPayload) => Promise<string>][] = [
    ['wrong aud', change({ aud: 'another' })],
    ['array aud', change({ aud: [clientId] })],
    ['array aud with another', change({ aud: [clientId, 'another'] })],
    ['wrong iss', change({ iss: 'https://evil.example' })],
    ['expired', change({ exp: 1 })],
    ['without exp', without('exp')],
    ['without iat', without('iat')],
    ['missing id', without('id')],
    ['negative id', change({ id: -5 })],
    ['float id', change({ id: 1.5 })],
    ['id of zeros', change({ id: '007' })],
    ['id beyond exact numbers', change({ id: 2 ** 60 })],
    ['wrong nonce', change({ nonce: 'x' })],
    ['without nonce', without('nonce')],
    [
      'HS256 with the client secret',
      (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret)),
    ],
    [
      'alg none',
      async (claims) =>
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
    ],
    [
      'a key that the token itself names',
      async (claims) => {
        const { privateKey } = await generateKeyPair('RS256')
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'RS256', kid: 'k1', jku: `${upstream.url}/trap` })
          .sign(privateKey)
      },
    ],
    ['no token at all', async () => 'junk'],
  ]
  test.each(cases)('rejects %s', async (_, idToken) => {
    upstream.idToken = idToken
    await failed(await signInAt('Telegram'), 'bad_signature')
    expect(upstream.requests.some(({ url }) => url === '/trap')).toBe(false)
  })
  test('logs the reason of a rejected token, but no claims', async () => {
    upstream.idToken = change({ aud: 'another', phone_number: '+15550100' })
    written.length = 0
    await failed(await signInAt('Telegram'), 'bad_signature')
    const line = written.find((text) => text.includes('an id_token was refused'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'aud' })
    expect(written.join('')).not.toContain('+15550100')
  })
  test('returns no name for a user without a username, neither a display name nor an old name', async () => {
    const app = await approvedApp(service, { scopes: ['Telegram'] })
    await signInAt('Telegram', { id: nextId, preferred_username: 'ada', name: 'durov' })
    const { access_token } = await tokensFor(service, browser, app, { scope: 'Telegram' })
    const seen = async () => (await userData(service, access_token)).json<object>()
    expect(await seen()).toEqual({ TelegramUsername: 'ada', TelegramUserID: String(nextId) })
    await signInAt('Telegram', { id: nextId, name: 'durov' })
    expect((await accountOf())?.identities).toMatchObject([{ username: null }])
    expect(await seen()).toEqual({ TelegramUsername: '', TelegramUserID: String(nextId) })
  })
  test('does not call endpoints on another host', async () => {
    service.clock.advance(5 * 60_000)
    upstream.override.set('/.well-known/openid-configuration', (_request, response) =>
      json(response, 200, {
        issuer: upstream.url,
        authorization_endpoint: `${upstream.url}/auth`,
        token_endpoint: 'http://127.0.0.1:9/token',
        jwks_uri: `${upstream.url}/jwks`,
      }),
    )
    expect((await browser.get('/identity/Telegram/start')).statusCode).toBe(503)
  })
  test('caches the metadata of the provider for five minutes, and failures for seconds', async () => {
    const path = '/.well-known/openid-configuration'
    const begin = async (attempts = 1) => {
      const begun = Array.from({ length: attempts }, () => openBrowser(service.fastify).get('/identity/Telegram/start'))
      const answers = new Set((await Promise.all(begun)).map(({ statusCode }) => statusCode))
      return [[...answers], upstream.requests.filter(({ url }) => url === path).length]
    }
    service.clock.advance(5 * 60_000)
    expect(await begin(20)).toEqual([[303], 1])
    service.clock.advance(5 * 60_000 - 1)
    expect(await begin()).toEqual([[303], 1])
    upstream.override.set(path, (_request, response) => json(response, 500, {}))
    service.clock.advance(1)
    expect(await begin(20)).toEqual([[503], 2])
    upstream.override.clear()
    service.clock.advance(4_999)
    expect(await begin()).toEqual([[503], 2])
    service.clock.advance(1)
    expect(await begin()).toEqual([[303], 3])
  })
})

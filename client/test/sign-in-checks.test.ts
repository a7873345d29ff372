import { createSignIn, type SignIn, type SignInOptions, type Tokens } from '@questboard/client'
import { describe, expect, test } from 'vitest'

const attempt = { state: 'the-state', codeVerifier: 'the-verifier' }
const tokens: Tokens = { accessToken: 'old', scope: '', expiresAt: 1_000_000, refreshToken: 'refresh-1' }

interface Exchange {
  url: string
  headers: Record<string, string>
  form: Record<string, string>
}

/** An app of a foreign service with prepared responses; an Error is a failed connection. */
function signInWith(answers: Array<object | Error>, options: Partial<SignInOptions> = {}) {
  const sent: Exchange[] = []
  const signIn: SignIn = createSignIn({
    baseUrl: 'https://id.example.com/',
    clientId: 'app',
    clientSecret: 'app-secret',
    redirectUri: 'https://app.example.com/callback',
    ...options,
    fetch: async (url, { headers, body }) => {
      sent.push({ url, headers, form: Object.fromEntries(new URLSearchParams(body)) })
      const answer = answers.shift()
      if (answer instanceof Response) return answer
      if (answer instanceof Error) throw answer
      return Response.json(answer)
    },
  })
  return { signIn, sent }
}

describe('begin', () => {
  test('sends an S256 challenge (the example of RFC 7636, appendix B)', async () => {
    const octets = Buffer.from('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', 'base64url')
    const { signIn } = signInWith([], { randomBytes: () => octets })
    const begun = await signIn.begin()
    expect(begun.attempt.codeVerifier).toBe('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')
    const challenge = new URL(begun.url).searchParams.get('code_challenge')
    expect(challenge).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
  })

  test('creates a new state and verifier each time, with 43 random characters', async () => {
    const { signIn } = signInWith([])
    const begun = await Promise.all(Array.from({ length: 20 }, () => signIn.begin()))
    const secrets = begun.flatMap(({ attempt: { state, codeVerifier } }) => [state, codeVerifier])
    expect(new Set(secrets).size).toBe(40)
    for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  test('adds its parameters to the query of any authorization URL, and always sends a scope', async () => {
    const { signIn } = signInWith([], { endpoints: { authorize: 'https://other.example.com/go?tenant=7' } })
    const asked = new URL((await signIn.begin()).url)
    expect(asked.origin + asked.pathname).toBe('https://other.example.com/go')
    expect(asked.searchParams.get('tenant')).toBe('7')
    expect(asked.searchParams.get('scope')).toBe('')
    const scoped = new URL((await signIn.begin({ scope: ['Email', 'EVMAddress'] })).url)
    expect(scoped.searchParams.get('scope')).toBe('Email EVMAddress')
  })
})

describe('finish rejects a callback without sending a request', () => {
  test.each<[string, string, typeof attempt | null | undefined]>([
    ['when its state is another', '?code=c&state=other', attempt],
    ['when it has no state', '?code=c', attempt],
    ['when no sign-in was begun', '?code=c&state=the-state', undefined],
    ['when the session lost it', '?code=c&state=the-state', null],
    ['when the state of the sign-in is empty', '?code=c&state=', { ...attempt, state: '' }],
    ['before its error is believed', '?error=access_denied&state=other', attempt],
  ])('%s: state_mismatch', async (_, callback, begun) => {
    const { signIn, sent } = signInWith([])
    await expect(signIn.finish(callback, begun)).rejects.toMatchObject({ code: 'state_mismatch' })
    expect(sent).toEqual([])
  })

  test('from another issuer: issuer_mismatch', async () => {
    const { signIn, sent } = signInWith([])
    const callback = '?code=c&state=the-state&iss=https%3A%2F%2Fevil.example.com'
    await expect(signIn.finish(callback, attempt)).rejects.toMatchObject({ code: 'issuer_mismatch' })
    expect(sent).toEqual([])
  })

  test('without a code: missing_code', async () => {
    const { signIn, sent } = signInWith([])
    await expect(signIn.finish('?state=the-state', attempt)).rejects.toMatchObject({ code: 'missing_code' })
    expect(sent).toEqual([])
  })
})

describe('finish redeems a callback', () => {
  const callback = 'https://app.example.com/callback?code=a%2Fb&state=the-state'

  test('with a form as in the specification', async () => {
    const { signIn, sent } = signInWith([{ access_token: 'new', scope: 'Email' }])
    expect(await signIn.finish(`${callback}#fragment`, attempt)).toEqual({
      accessToken: 'new',
      scope: 'Email',
      expiresAt: null,
      refreshToken: null,
    })
    expect(sent).toEqual([
      {
        url: 'https://id.example.com/oauth/auth/2/token',
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        form: {
          client_id: 'app',
          client_secret: 'app-secret',
          grant_type: 'authorization_code',
          code: 'a/b',
          code_verifier: 'the-verifier',
          redirect_uri: 'https://app.example.com/callback',
        },
      },
    ])
  })

  test('with the expected issuer, or with any issuer if none is configured', async () => {
    const own = signInWith([{ access_token: 'new' }])
    expect(await own.signIn.finish(`${callback}&iss=https://id.example.com`, attempt)).toMatchObject({ scope: '' })
    const any = signInWith([{ access_token: 'new' }], { issuer: null })
    expect(await any.signIn.finish(`${callback}&iss=https://x.example.com`, attempt)).toBeTruthy()
  })

  test.each<[string, object | Error, object]>([
    [
      'an error in a successful answer',
      { error: 'invalid_grant', error_description: 'used' },
      { code: 'invalid_grant', message: 'used' },
    ],
    ['an answer without a token', { scope: 'Email' }, { code: 'invalid_response' }],
    ['a page of a proxy', new Response('<html>', { status: 502 }), { code: 'invalid_response', httpStatus: 502 }],
    ['a redirect', new Response(null, { status: 302, headers: { location: '/' } }), { code: 'invalid_response' }],
    ['no connection', new TypeError('fetch failed'), { code: 'network_error', httpStatus: undefined }],
  ])('and reports %s', async (_, answer, error) => {
    const { signIn } = signInWith([answer])
    await expect(signIn.finish(callback, attempt)).rejects.toMatchObject(error)
  })
})

describe('a session', () => {
  /** A session whose token has 30 seconds left; it is refreshed in its last 60 seconds. */
  function sessionWith(answers: Array<object | Error>, onTokens?: (tokens: Tokens) => void) {
    const time = { now: 970_000 }
    const { signIn, sent } = signInWith(answers, { clock: { now: () => time.now, sleep: async () => {} } })
    return { session: signIn.session(tokens, onTokens), sent, time }
  }
  const renewed = { access_token: 'new', expires_in: 3_600, refresh_token: 'refresh-2' }

  test('uses the old token until it expires while the service is unreachable', async () => {
    const { session, sent, time } = sessionWith([
      new TypeError('fetch failed'),
      new Response('', { status: 503 }),
      new TypeError('fetch failed'),
      renewed,
    ])
    expect(await session.accessToken()).toBe('old')
    expect(await session.accessToken()).toBe('old')
    time.now = 1_000_000
    await expect(session.accessToken()).rejects.toMatchObject({ code: 'network_error' })
    expect(await session.accessToken()).toBe('new')
    expect(session.tokens).toEqual({ accessToken: 'new', scope: '', expiresAt: 4_600_000, refreshToken: 'refresh-2' })
    expect(sent.map(({ form }) => form['refresh_token'])).toEqual(Array.from({ length: 4 }, () => 'refresh-1'))
  })

  test('fails if the service rejects the refresh token', async () => {
    const { session } = sessionWith([Response.json({ error: 'invalid_grant' }, { status: 400 })])
    await expect(session.accessToken()).rejects.toMatchObject({ code: 'invalid_grant' })
  })

  test('stores new tokens before it returns them, also after a failed attempt', async () => {
    const stored: string[] = []
    let broken = true
    const { session, sent } = sessionWith([renewed], ({ accessToken }) => {
      if (broken) throw new Error('the store is down')
      stored.push(accessToken)
    })
    await expect(session.accessToken()).rejects.toThrow('the store is down')
    broken = false
    expect(await session.accessToken()).toBe('new')
    expect(stored).toEqual(['new'])
    expect(sent).toHaveLength(1)
  })

  test('never refreshes without expiring tokens', async () => {
    const { signIn, sent } = signInWith([])
    const eternal: Tokens = { ...tokens, expiresAt: null, refreshToken: null }
    expect(await signIn.session(eternal).accessToken()).toBe('old')
    await expect(signIn.refresh(eternal)).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(sent).toEqual([])
  })
})

test('uses the configured URL of every step', async () => {
  const { signIn, sent } = signInWith([{ access_token: 'a' }, { client_id: 'app' }, { Email: 'x@example.com' }], {
    endpoints: {
      token: 'https://id.example.com/t',
      tokenDetail: 'https://id.example.com/d',
      userData: 'https://id.example.com/u',
    },
  })
  await signIn.refresh({ refreshToken: 'r' })
  expect(await signIn.tokenDetail('secret')).toEqual({ clientId: 'app', scope: '', expiresAt: null })
  expect(await signIn.userData('secret', { scope: ['Email', 'ServiceID'] })).toEqual({ Email: 'x@example.com' })
  expect(sent.map(({ url }) => url)).toEqual([
    'https://id.example.com/t',
    'https://id.example.com/d',
    'https://id.example.com/u?scope=Email+ServiceID',
  ])
  expect(sent[2]?.headers).toEqual({ accept: 'application/json', access_token: 'secret' })
})

import { readIdToken, type LogoutTokenOptions, verifyLogoutToken } from '@questboard/client/logout'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'

const NOW = 1_800_000_000
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MINUTE = 60_000
const pair = (alg: string, options = {}) => generateKeyPair(alg, { extractable: true, ...options })
const [rs256, ps256, es256, stranger] = await Promise.all([pair('RS256'), pair('PS256'), pair('ES256'), pair('RS256')])
const publicKeys = await Promise.all(
  Object.entries({ RS256: rs256, PS256: ps256, ES256: es256 }).map(async ([alg, { publicKey }]) => ({
    ...(await exportJWK(publicKey)),
    ...{ alg, kid: alg, use: 'sig' },
  })),
)

let issuers = 0

/** A foreign issuer with an app, whose requests and clock a test controls. */
function foreignIssuer() {
  const issuer = `https://id${++issuers}.example.com`
  const state = {
    issuer,
    now: NOW * 1_000,
    keys: publicKeys as object[],
    requests: [] as string[],
    answer: undefined as (() => Promise<Response>) | undefined,
    discovery: { issuer, jwks_uri: `${issuer}/keys` } as Record<string, unknown>,
    claims: {
      ...{ iss: issuer, aud: 'app', iat: NOW, exp: NOW + 120, jti: 'token-1', sub: 'user-1', sid: 'session-1' },
      events: { [EVENT]: {} },
    } as JWTPayload,
  }
  const options: LogoutTokenOptions = {
    issuer,
    clientId: 'app',
    clock: { now: () => state.now, sleep: () => Promise.resolve() },
    fetch: async (url) => {
      state.requests.push(url.slice(issuer.length))
      if (state.answer) return state.answer()
      return Response.json(url.endsWith('/keys') ? { keys: state.keys } : state.discovery)
    },
  }
  const sign = (claims: object = {}, header: object = {}, key: CryptoKey = rs256.privateKey) =>
    new SignJWT({ ...state.claims, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'RS256', typ: 'logout+jwt', ...header })
      .sign(key)
  const verify = (token: string, changed: Partial<LogoutTokenOptions> = {}) =>
    verifyLogoutToken(token, { ...options, ...changed })
  return { state, sign, verify }
}

const refusedFor = (reason: string) => ({
  name: 'OAuthError',
  code: 'invalid_logout_token',
  message: `The logout token is not valid: ${reason}`,
})
const base64Url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a token is valid', () => {
  test('with sub and sid, or one of them', async () => {
    const { sign, verify } = foreignIssuer()
    const names = { tokenId: 'token-1', subject: 'user-1', sessionId: 'session-1' }
    expect(await verify(await sign())).toMatchObject(names)
    expect(await verify(await sign({ sub: undefined }))).toMatchObject({ ...names, subject: null })
    expect(await verify(await sign({ sid: undefined }))).toMatchObject({ ...names, sessionId: null })
  })

  test('with its audience as a list, without a type, and with a difference of clocks below the tolerance', async () => {
    const { sign, verify } = foreignIssuer()
    await verify(await sign({ aud: ['app'] }))
    await verify(await sign({}, { typ: undefined }))
    await verify(await sign({}, { typ: 'application/Logout+JWT' }))
    await verify(await sign({ iat: NOW + 59, exp: NOW + 100 }))
    await verify(await sign({ iat: NOW - 200, exp: NOW - 59 }))
  })

  test('from an issuer with a slash at its end', async () => {
    const { state, sign, verify } = foreignIssuer()
    state.discovery.issuer = `${state.issuer}/`
    await verify(await sign({ iss: `${state.issuer}/` }), { issuer: `${state.issuer}/` })
  })

  test('with another algorithm only if the app accepts it', async () => {
    const { sign, verify } = foreignIssuer()
    for (const [alg, { privateKey }] of [
      ['PS256', ps256],
      ['ES256', es256],
    ] as const) {
      const token = await sign({}, { alg, kid: alg }, privateKey)
      await expect(verify(token)).rejects.toMatchObject(refusedFor('its algorithm is none of RS256'))
      expect(await verify(token, { algorithms: [alg] })).toMatchObject({ subject: 'user-1' })
      await expect(verify(await sign(), { algorithms: [alg] })).rejects.toMatchObject(
        refusedFor(`its algorithm is none of ${alg}`),
      )
    }
  })
})

describe('rejects a token', () => {
  test.each<[string, object]>([
    ['its issuer is not https://…', { iss: 'https://evil.example.com' }],
    ['its issuer is not https://…', { iss: undefined }],
    ['it is for another app', { aud: 'other' }],
    ['it is for another app', { aud: ['app', 'other'] }],
    ['it is for another app', { aud: [] }],
    ['it is for another app', { aud: undefined }],
    ['it has no times', { iat: undefined }],
    ['it has no times', { exp: undefined }],
    ['it has no times', { exp: String(NOW + 120) }],
    ['it has expired', { exp: NOW - 60 }],
    ['it is of the future', { iat: NOW + 61 }],
    ['it has no logout event', { events: undefined }],
    ['it has no logout event', { events: { 'http://schemas.openid.net/event/other': {} } }],
    ['it has no logout event', { events: [EVENT] }],
    ['it has no logout event', { events: { [EVENT]: true } }],
    ['it has a nonce', { nonce: 'n' }],
    ['it has a nonce', { nonce: null }],
    ['it has no ID', { jti: undefined }],
    ['it has no ID', { jti: '' }],
    ['it names neither a user nor a session', { sub: undefined, sid: undefined }],
    ['its sub is no text', { sub: '' }],
    ['its sid is no text', { sid: 7 }],
  ])('because %s: %j, before the keys are read', async (reason, claims) => {
    const { state, sign, verify } = foreignIssuer()
    await expect(verify(await sign(claims))).rejects.toMatchObject(
      refusedFor(reason.replace('https://…', state.issuer)),
    )
    expect(state.requests).toEqual([])
  })

  test.each<[string, object]>([
    ['its type is another', { typ: 'JWT' }],
    ['its type is another', { typ: 7 }],
    ['it names no key', { kid: undefined }],
  ])('because %s: %j', async (reason, header) => {
    const { state, sign, verify } = foreignIssuer()
    await expect(verify(await sign({}, header))).rejects.toMatchObject(refusedFor(reason))
    expect(state.requests).toEqual([])
  })

  test('with an algorithm that is not accepted: none, HMAC, critical extensions', async () => {
    const { state, verify } = foreignIssuer()
    const unsigned = (header: object) => `${base64Url({ kid: 'RS256', ...header })}.${base64Url(state.claims)}`
    const noAlgorithm = refusedFor('its algorithm is none of RS256')
    for (const alg of ['none', 'None', 'HS256', 'RS1', undefined, ['RS256']])
      await expect(verify(`${unsigned({ alg })}.c2ln`)).rejects.toMatchObject(noAlgorithm)
    await expect(verify(`${unsigned({ alg: 'none' })}.`)).rejects.toMatchObject(refusedFor('it is no signed JWT'))
    const critical = unsigned({ alg: 'RS256', crit: ['b64'], b64: false })
    await expect(verify(`${critical}.c2ln`)).rejects.toMatchObject(refusedFor('it has critical extensions'))
    expect(state.requests).toEqual([])
  })

  test('that is no JWT, or very long', async () => {
    const { state, verify, sign } = foreignIssuer()
    const long = await sign({ padding: 'x'.repeat(20_000) })
    const array = `${base64Url({ alg: 'RS256', kid: 'RS256' })}.${base64Url([])}.c2ln`
    for (const token of ['', 'forged', 'a.b', 'a.b.c', 'a.b.c.d', 'YQ.YQ.YQ', ' . . ', 'eyJ.+/=.x', array, long])
      await expect(verify(token)).rejects.toMatchObject(refusedFor('it is no signed JWT'))
    expect(state.requests).toEqual([])
  })

  test('whose signature is of another key', async () => {
    const { sign, verify } = foreignIssuer()
    const noSignature = refusedFor('its signature is not of its issuer')
    await expect(verify(await sign({}, {}, stranger.privateKey))).rejects.toMatchObject(noSignature)
    const [head = '', , signature = ''] = (await sign()).split('.')
    const other = (await sign({ sub: 'user-2' })).split('.')[1]
    await expect(verify(`${head}.${other}.${signature}`)).rejects.toMatchObject(noSignature)
    await expect(verify(`${head}.${other}.c2ln`)).rejects.toMatchObject(noSignature)
  })

  test('whose key is of another algorithm, for encryption, short or damaged', async () => {
    const { publicKey, privateKey } = await pair('RS256', { modulusLength: 2_048 })
    const jwk = { ...(await exportJWK(publicKey)), kid: 'RS256' }
    const short = await crypto.subtle.generateKey(
      { name: 'RSASSA-PKCS1-v1_5', modulusLength: 1_024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
      true,
      ['sign', 'verify'],
    )
    const shortKey = { ...(await crypto.subtle.exportKey('jwk', short.publicKey)), kid: 'RS256' }
    const unpublished = 'its issuer does not publish its key'
    for (const [key, reason] of [
      [{ ...jwk, alg: 'PS256' }, unpublished],
      [{ ...jwk, use: 'enc' }, unpublished],
      [{ ...jwk, kty: 'EC' }, unpublished],
      [{ ...jwk, n: '' }, 'its signature is not of its issuer'],
      [shortKey, 'its signature is not of its issuer'],
    ] as const) {
      const { state, sign, verify } = foreignIssuer()
      state.keys = [key]
      await expect(verify(await sign({}, {}, privateKey))).rejects.toMatchObject(refusedFor(reason))
    }
    const { state, sign, verify } = foreignIssuer()
    state.keys = [jwk]
    expect(await verify(await sign({}, {}, privateKey))).toMatchObject({ subject: 'user-1' })
    const input = Buffer.from(`${base64Url({ alg: 'RS256', kid: 'RS256' })}.${base64Url(state.claims)}`)
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', short.privateKey, input)
    state.keys = [shortKey]
    state.now += 61 * MINUTE
    state.claims.exp = NOW + 61 * 60
    await expect(
      verify(`${input.toString()}.${Buffer.from(signature).toString('base64url')}`, { toleranceMs: 120 * MINUTE }),
    ).rejects.toMatchObject(refusedFor('its signature is not of its issuer'))
  })
})

describe('the cache of the keys of the issuer', () => {
  const BOTH = ['/.well-known/openid-configuration', '/keys']
  const unpublished = refusedFor('its issuer does not publish its key')

  test('reads the keys once an hour', async () => {
    const { state, sign, verify } = foreignIssuer()
    state.claims.exp = NOW + 7_200
    const token = await sign()
    await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    state.now += 59 * MINUTE
    await verify(token)
    expect(state.requests).toEqual(BOTH)
    state.now += 2 * MINUTE
    await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    expect(state.requests).toEqual([...BOTH, ...BOTH])
  })

  test('reads the keys again if the clock was set back', async () => {
    const { state, sign, verify } = foreignIssuer()
    state.now += 1_000 * MINUTE
    await verify(await sign({ iat: NOW + 60_000, exp: NOW + 60_120 }))
    state.now -= 1_000 * MINUTE
    state.keys = [{ ...(await exportJWK(stranger.publicKey)), kid: 'RS256' }]
    expect(await verify(await sign({}, {}, stranger.privateKey))).toMatchObject({ subject: 'user-1' })
    expect(state.requests).toEqual([...BOTH, ...BOTH])
  })

  test('belongs to the fetch function that read the keys', async () => {
    const { state, sign, verify } = foreignIssuer()
    await verify(await sign())
    const keys = [{ ...(await exportJWK(stranger.publicKey)), kid: 'RS256' }]
    const fetch = (url: string) => Promise.resolve(Response.json(url.endsWith('/keys') ? { keys } : state.discovery))
    expect(await verify(await sign({}, {}, stranger.privateKey), { fetch })).toMatchObject({ subject: 'user-1' })
  })

  test('50 forged tokens at once cause one read, and all further ones none within a minute', async () => {
    const { state, sign, verify } = foreignIssuer()
    await verify(await sign())
    state.now += 2 * MINUTE
    const forge = (n: number) => sign({ exp: NOW + 999 }, { kid: `forged-${n}` }, stranger.privateKey)
    const forged = await Promise.all(Array.from({ length: 50 }, (_, n) => forge(n)))
    const attack = async () => {
      const outcomes = await Promise.allSettled(forged.map((token) => verify(token)))
      for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: unpublished })
    }
    await attack()
    expect(state.requests).toEqual([...BOTH, '/keys'])
    state.now += MINUTE - 1
    await attack()
    for (const token of forged) await expect(verify(token)).rejects.toMatchObject(unpublished)
    expect(state.requests).toEqual([...BOTH, '/keys'])
    state.now += 1
    await attack()
    expect(state.requests).toEqual([...BOTH, '/keys', '/keys'])
  })

  test('50 forged tokens before the first valid one cause one read', async () => {
    const { state, sign, verify } = foreignIssuer()
    const forged = await sign({}, { kid: 'forged' }, stranger.privateKey)
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => verify(forged)))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: unpublished })
    expect(state.requests).toEqual(BOTH)
    expect(await verify(await sign())).toMatchObject({ subject: 'user-1' })
    expect(state.requests).toEqual(BOTH)
  })

  test('finds a new key with the first token that it signs', async () => {
    const { state, sign, verify } = foreignIssuer()
    await verify(await sign())
    state.now += MINUTE
    state.keys = [{ ...(await exportJWK(stranger.publicKey)), kid: 'new' }]
    const token = await sign({}, { kid: 'new' }, stranger.privateKey)
    expect(await verify(token)).toMatchObject({ subject: 'user-1' })
    await expect(verify(await sign())).rejects.toMatchObject(unpublished)
    expect(state.requests).toEqual([...BOTH, '/keys'])
  })

  test('shares a failed first read, and remembers it for ten seconds', async () => {
    const { state, sign, verify } = foreignIssuer()
    const token = await sign()
    state.answer = () => Promise.reject(new Error('no connection'))
    const failure = { name: 'OAuthError', code: 'network_error' }
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => verify(token)))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: failure })
    state.now += 9_999
    await expect(verify(token)).rejects.toMatchObject(failure)
    expect(state.requests).toHaveLength(1)
    state.answer = undefined
    state.now += 1
    expect(await verify(token)).toMatchObject({ subject: 'user-1' })
    expect(state.requests).toHaveLength(3)
  })

  test('after a failed new read, unknown keys fail with its error for a minute, and known keys stay valid', async () => {
    const { state, sign, verify } = foreignIssuer()
    await verify(await sign())
    state.now += MINUTE
    state.answer = () => Promise.resolve(new Response('busy', { status: 502 }))
    const forged = await sign({ exp: NOW + 999 }, { kid: 'forged' }, stranger.privateKey)
    for (const wait of [0, 30_000, 29_999]) {
      state.now += wait
      await expect(verify(forged)).rejects.toMatchObject({ code: 'invalid_response', httpStatus: 502 })
    }
    expect(await verify(await sign({ exp: NOW + 999 }))).toMatchObject({ subject: 'user-1' })
    expect(state.requests).toEqual([...BOTH, '/keys'])
  })

  test('a read that takes too long fails with timeout', async () => {
    const { sign, verify } = foreignIssuer()
    const never: LogoutTokenOptions['fetch'] = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    await expect(verify(await sign(), { fetch: never, timeoutMs: 5 })).rejects.toMatchObject({ code: 'timeout' })
  })

  test.each<[string, (state: ReturnType<typeof foreignIssuer>['state']) => void, string]>([
    ['of another issuer', (state) => (state.discovery.issuer = 'https://evil.example.com'), 'of another issuer'],
    ['without jwks_uri', (state) => delete state.discovery.jwks_uri, 'has no jwks_uri'],
    ['with keys over http', (state) => (state.discovery.jwks_uri = 'http://id.example.com/keys'), 'has no jwks_uri'],
    ['with another scheme', (state) => (state.discovery.jwks_uri = 'data:,{}'), 'has no jwks_uri'],
    ['whose keys are no list', (state) => (state.keys = {} as never), 'has no list of keys'],
  ])('metadata %s: invalid_response', async (_, change, message) => {
    const { state, sign, verify } = foreignIssuer()
    change(state)
    const token = await sign()
    await expect(verify(token)).rejects.toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining(message) as string,
    })
  })

  test('a redirect and a page that is no JSON: invalid_response', async () => {
    const elsewhere = { status: 302, headers: { location: 'https://evil.example.com' } }
    for (const answer of [new Response('<html>'), new Response(null, elsewhere), Response.json([], { status: 500 })]) {
      const { state, sign, verify } = foreignIssuer()
      state.answer = () => Promise.resolve(answer)
      await expect(verify(await sign())).rejects.toMatchObject({ code: 'invalid_response' })
    }
  })
})

test('an invalid option is a TypeError that names it', async () => {
  for (const issuer of ['', 'id.example.com', 'ftp://id.example.com'])
    await expect(verifyLogoutToken('', { issuer, clientId: 'app' })).rejects.toThrow(/^issuer must be/)
  const options = { issuer: 'https://id.example.com', clientId: '' }
  await expect(verifyLogoutToken('', options)).rejects.toThrow(/^clientId must be/)
})

test('readIdToken returns subject and session, and fails without an id_token', () => {
  const idToken = (claims: object) => `${base64Url({ alg: 'RS256' })}.${base64Url(claims)}.c2ln`
  expect(readIdToken({ idToken: idToken({ sub: 'ü', sid: 's' }) })).toEqual({ subject: 'ü', sessionId: 's' })
  expect(readIdToken({ idToken: idToken({ sub: 'u' }) })).toEqual({ subject: 'u', sessionId: null })
  for (const tokens of [{}, { idToken: 'x' }, { idToken: idToken({ sid: 's' }) }])
    expect(() => readIdToken(tokens)).toThrow('The sign-in has no id_token with a subject')
})

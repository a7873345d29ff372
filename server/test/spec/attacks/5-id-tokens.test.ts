import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepSignIn } from '../../../src/schedule/sign-in-sweep.ts'
import { rotateSigningKey } from '../../../src/oauth/signing-keys.ts'
import { approvedApp, signedInBrowser, type SignedIn, type TestApp, tokensFor } from '../../support/oauth-flow.ts'
import { ISSUER, type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let app: TestApp
let user: SignedIn
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service)
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

const tokens = (scope: string) => tokensFor(service, user.browser, app, { scope })

describe('attack 62: id_token', () => {
  const jwks = async () => (await service.fastify.inject({ url: '/oauth/jwks' })).json<JSONWebKeySet>()
  const verify = async (token: string, keys: JSONWebKeySet) =>
    jwtVerify(token, createLocalJWKSet(keys), {
      issuer: ISSUER,
      audience: app.clientId,
      algorithms: ['RS256'],
      currentDate: new Date(service.clock.now()),
    })

  test('has a fixed algorithm and the claims for subject, audience, times and request', async () => {
    const { id_token, access_token } = await tokensFor(service, user.browser, app, { scope: 'openid', nonce: 'n-0S6' })
    const { payload } = await verify(id_token as string, await jwks())
    const now = Math.floor(service.clock.now() / 1000)
    expect(payload).toMatchObject({ sub: user.account.id, nonce: 'n-0S6', iat: now, exp: now + 3600 })
    expect(payload.auth_time).toBeLessThanOrEqual(now)
    expect(decodeProtectedHeader(id_token as string).alg).toBe('RS256')
    const info = await service.fastify.inject({ url: '/oauth/userinfo', headers: { access_token } })
    expect(info.json()).toEqual({ sub: user.account.id })
  })
  test('is missing without the scope openid', async () => {
    expect(await tokens('EVMAddress')).not.toHaveProperty('id_token')
  })
  test('still verifies after a rotation; the new key has another key id', async () => {
    const before = (await tokens('openid')).id_token as string
    service.clock.advance(1_000)
    await rotateSigningKey(service.services)
    const after = (await tokens('openid')).id_token as string
    const keys = await jwks()
    expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid)
    await verify(before, keys)
    await verify(after, keys)
    for (const key of keys.keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })
  test('gets a new key after 90 days; the service deletes the old key two days later', async () => {
    const old = decodeProtectedHeader((await tokens('openid')).id_token as string).kid
    service.clock.advance(90 * 86_400_000 + 1)
    user = await signedInBrowser(service)
    expect(decodeProtectedHeader((await tokens('openid')).id_token as string).kid).not.toBe(old)
    expect((await jwks()).keys.map(({ kid }) => kid)).toContain(old)
    service.clock.advance(2 * 86_400_000 - 1)
    expect((await jwks()).keys.map(({ kid }) => kid)).toContain(old)
    service.clock.advance(1)
    expect((await jwks()).keys).toHaveLength(1)
    await sweepSignIn(service.database.kysely, service.clock.now())
    expect(await service.database.query('SELECT FROM signing_keys')).toHaveLength(1)
  })
  test('keeps a key for two days after an early rotation', async () => {
    await tokens('openid')
    service.clock.advance(1_000)
    const { keyId } = await rotateSigningKey(service.services)
    service.clock.advance(2 * 86_400_000 - 1)
    await sweepSignIn(service.database.kysely, service.clock.now())
    expect((await jwks()).keys).toHaveLength(2)
    service.clock.advance(1)
    expect((await jwks()).keys.map(({ kid }) => kid)).toEqual([keyId])
  })
  test('does not verify after the withdrawal of its key', async () => {
    const of = async () => (await tokens('openid')).id_token as string
    user = await signedInBrowser(service)
    const leaked = await of()
    service.clock.advance(1_000)
    const { keyId } = await rotateSigningKey(service.services, { withdrawOthers: true })
    const keys = await jwks()
    expect(keys.keys.map(({ kid }) => kid)).toEqual([keyId])
    await expect(verify(leaked, keys)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
    await verify(await of(), keys)
  })
  test('never uses a weak algorithm, according to the metadata', async () => {
    const document = (await service.fastify.inject({ url: '/.well-known/openid-configuration' })).json<
      Record<string, unknown>
    >()
    expect(document.id_token_signing_alg_values_supported).toEqual(['RS256'])
    // Apps without a server authenticate with the method "none".
    const others = Object.entries(document).filter(([name]) => !name.endsWith('_auth_methods_supported'))
    expect(JSON.stringify(others)).not.toMatch(/"none"(?!,"login")|HS256/)
  })
})

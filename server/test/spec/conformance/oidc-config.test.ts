import { generateKeyPairSync } from 'node:crypto'
import type { JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotateSigningKey } from '../../../src/oauth/signing-keys.ts'
import { keyFaults, metadataFaults } from '../../support/discovery-checks.ts'
import { ISSUER, type SignInService, startListening, startSignIn } from '../../support/oauth-service.ts'

// Tests for the module of the OpenID Connect Config OP certification plan, with its name.
const PATH = '/.well-known/openid-configuration'

let service: SignInService
let metadata: Record<string, unknown>
let keys: JWK[]
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  // Two keys, as after each rotation.
  await rotateSigningKey(service.services)
  service.clock.advance(1_000)
  await rotateSigningKey(service.services)
  const [document, published] = [await service.fastify.inject(PATH), await service.fastify.inject('/oauth/jwks')]
  for (const { statusCode, headers } of [document, published]) {
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toMatch(/^application\/(jwk-set\+)?json\b/)
  }
  metadata = document.json()
  ;({ keys } = published.json<{ keys: JWK[] }>())
})
afterAll(() => service.close())

test('oidcc-discovery-endpoint-verification: the metadata is complete and valid', () => {
  expect(metadataFaults(ISSUER + PATH, metadata)).toEqual([])
  expect(metadata).toMatchObject({
    authorization_endpoint: `${ISSUER}/oauth`,
    token_endpoint: `${ISSUER}/oauth/auth/2/token`,
    userinfo_endpoint: `${ISSUER}/oauth/userinfo`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['RS256'],
    jwks_uri: `${ISSUER}/oauth/jwks`,
    subject_types_supported: ['public', 'pairwise'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
  })
})

test('oidcc-discovery-endpoint-verification: jwks_uri has valid public keys', async () => {
  expect(keys.length).toBeGreaterThan(1)
  expect(await keyFaults({ keys })).toEqual([])
})

test('oidcc-discovery-endpoint-verification: a service on loopback uses its own addresses over http', async () => {
  const local = await startListening()
  const response = await fetch(local.issuer + PATH)
  const document = (await response.json()) as Record<string, unknown>
  expect(metadataFaults(local.issuer + PATH, document)).toEqual([])
  expect(document.issuer).toMatch(/^http:\/\/localhost:\d+$/)
  expect(await keyFaults((await (await fetch(document.jwks_uri as string)).json()) as { keys: JWK[] })).toEqual([])
  await local.close()
})

describe('the checks find', () => {
  test.each<[fault: string, changes: Record<string, unknown>]>([
    ['issuer https://other.example is not the one', { issuer: 'https://other.example' }],
    ['issuer needs https', { issuer: 'http://id.questboard.test' }],
    ['token_endpoint is missing', { token_endpoint: undefined }],
    ['token_endpoint is no absolute URL', { token_endpoint: '/oauth/auth/2/token' }],
    ['authorization_endpoint needs https', { authorization_endpoint: 'http://id.questboard.test/oauth' }],
    ['userinfo_endpoint is not under the issuer', { userinfo_endpoint: 'https://other.example/userinfo' }],
    ['jwks_uri has a fragment', { jwks_uri: `${ISSUER}/oauth/jwks#keys` }],
    ['end_session_endpoint is not under the issuer', { end_session_endpoint: `${ISSUER}.example/logout` }],
    ['response_types_supported lacks code', { response_types_supported: ['token'] }],
    ['subject_types_supported has private', { subject_types_supported: ['public', 'private'] }],
    ['id_token_signing_alg_values_supported has none', { id_token_signing_alg_values_supported: ['RS256', 'none'] }],
    ['id_token_signing_alg_values_supported lacks RS256', { id_token_signing_alg_values_supported: ['ES256'] }],
    ['grant_types_supported is no list with values', { grant_types_supported: [] }],
    ['scopes_supported has two words', { scopes_supported: ['openid', 'two words'] }],
    ['claims_supported lacks sub', { claims_supported: ['iss'] }],
    ['code_challenge_methods_supported is no list', { code_challenge_methods_supported: 'S256' }],
    ['claims_parameter_supported is no boolean', { claims_parameter_supported: 'false' }],
  ])('%s', (fault, changes) => {
    // Without the undefined ones, as in JSON.
    const changed = JSON.parse(JSON.stringify({ ...metadata, ...changes })) as Record<string, unknown>
    expect(metadataFaults(ISSUER + PATH, changed)).toContainEqual(expect.stringContaining(fault))
  })

  test.each<[fault: string, change: (key: JWK) => JWK[]]>([
    ['no keys', () => []],
    ['two keys have one kid', (key) => [key, key]],
    ['has no kid', (key) => [without(key, 'kid')]],
    ['is no valid key', (key) => [without(key, 'n')]],
    ['does not sign with RS256', (key) => [{ ...key, use: 'enc' }]],
    ['is shorter than 2048 bits', (key) => [{ ...key, ...rsaKey(1024).publicKey }]],
    ['has the private member d', (key) => [{ ...key, ...rsaKey(2048).privateKey }]],
  ])('in keys: %s', async (fault, change) => {
    expect(await keyFaults({ keys: change(keys[0] as JWK) })).toContainEqual(expect.stringContaining(fault))
  })
})

function without(key: JWK, member: string): JWK {
  return Object.fromEntries(Object.entries(key).filter(([name]) => name !== member))
}

function rsaKey(modulusLength: number): { publicKey: JWK; privateKey: JWK } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength })
  return { publicKey: publicKey.export({ format: 'jwk' }), privateKey: privateKey.export({ format: 'jwk' }) }
}

import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../../src/clock.ts'
import { regenerateIngestToken } from '../../../src/access/ingest-tokens.ts'
import { regenerateToken } from '../../../src/access/server-tokens.ts'
import { findToken } from '../../../src/access/server-tokens.queries.ts'
import { hashOf } from '../../../src/secrets/hashes.ts'
import { ensurePlans } from '../../../src/access/plans.ts'
import { signedInBrowser } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  await ensurePlans(service.database, service.services.config)
})
afterAll(() => service.close())

interface Issued {
  token: string
  tokenId: string
}

const isKnown = async (token: string) => {
  const row = await findToken(service.database, token)
  return row !== undefined && row.revoked_at === null
}

test('creates, regenerates and revokes a token, and shows it once', async () => {
  const { browser } = await signedInBrowser(service)
  const created = await browser.call('POST', '/api/tokens', { name: 'backend', areas: ['space'] })
  expect(created.statusCode).toBe(201)
  const { token, tokenId } = created.json<Issued>()
  expect(token).toMatch(/^qbs_[0-9A-Za-z]{49}$/)
  expect(await isKnown(token)).toBe(true)
  const listed = await browser.get('/api/tokens')
  expect(listed.json()).toMatchObject({
    tokens: [{ tokenId, name: 'backend', areas: ['space'], plan: 'free', lastUsedAt: null, revokedAt: null }],
  })
  expect(listed.body).not.toContain('qbs_')
  const regenerated = (await browser.call('POST', `/api/tokens/${tokenId}/regenerate`)).json<Issued>()
  expect(await isKnown(token)).toBe(false)
  expect(await isKnown(regenerated.token)).toBe(true)
  expect((await browser.call('DELETE', `/api/tokens/${tokenId}`)).statusCode).toBe(204)
  expect(await isKnown(regenerated.token)).toBe(false)
  expect((await browser.call('POST', `/api/tokens/${tokenId}/regenerate`)).statusCode).toBe(409)
})

test.each(['/api/tokens', '/api/ingest-tokens'])('%s lists the last four characters of each value', async (path) => {
  const { browser, account } = await signedInBrowser(service)
  await service.database.query(
    `INSERT INTO spaces (space_id, name, created_at, owner_account_id) VALUES (78, 'Own', now(), $1)
     ON CONFLICT (space_id) DO UPDATE SET owner_account_id = $1`,
    [account.id],
  )
  const scope = path === '/api/tokens' ? {} : { spaces: [78] }
  const made = (await browser.call('POST', path, { name: 'backend', ...scope })).json<Issued>()
  const listed = async () =>
    (await browser.get(path)).json<{ tokens: { lastFour: string | null }[] }>().tokens.map(({ lastFour }) => lastFour)
  expect(await listed()).toEqual([made.token.slice(-4)])
  const regenerated = (await browser.call('POST', `${path}/${made.tokenId}/regenerate`)).json<Issued>()
  expect(await listed()).toEqual([regenerated.token.slice(-4)])
  const table = path === '/api/tokens' ? 'server_tokens' : 'ingest_tokens'
  await service.database.query(`UPDATE ${table} SET last_four = NULL WHERE token_id = $1`, [made.tokenId])
  expect(await listed()).toEqual([null])
})

test.each(['/api/tokens', '/api/ingest-tokens'])('does not regenerate an expired token of %s', async (path) => {
  const { browser, account } = await signedInBrowser(service)
  await service.database.query(
    `INSERT INTO spaces (space_id, name, created_at, owner_account_id) VALUES (77, 'Own', now(), $1)
     ON CONFLICT (space_id) DO UPDATE SET owner_account_id = $1`,
    [account.id],
  )
  const expiresAt = new Date(service.clock.now() + MINUTE)
  const scope = path === '/api/tokens' ? {} : { spaces: [77] }
  const made = await browser.call('POST', path, { name: 'short', expiresAt, ...scope })
  const { token, tokenId } = made.json<Issued>()
  service.clock.advance(MINUTE)
  const refused = await browser.call('POST', `${path}/${tokenId}/regenerate`)
  expect([refused.statusCode, refused.json()]).toMatchObject([409, { error: { code: 'token_expired' } }])
  const byCommand = path === '/api/tokens' ? regenerateToken : regenerateIngestToken
  const { database, clock, services } = service
  await expect(byCommand({ database, clock, random: services.random }, tokenId)).rejects.toThrow(/expired/)
  const table = path === '/api/tokens' ? 'server_tokens' : 'ingest_tokens'
  const stored = await database.query(`SELECT token_hash FROM ${table} WHERE token_id = $1`, [tokenId])
  expect(stored).toEqual([{ token_hash: hashOf(token) }])
})

test('creates, lists, regenerates and revokes a publishable token', async () => {
  await service.database.query(`INSERT INTO spaces VALUES (40, 'Forty', '', NULL, now()) ON CONFLICT DO NOTHING`)
  const { browser } = await signedInBrowser(service)
  const origins = ['https://a.example', 'http://localhost:5173']
  const made = await browser.call('POST', '/api/tokens', { name: 'page', origins, spaces: [40, 40] })
  const scope = { areas: ['space'], origins, spaceIds: [40] }
  expect([made.statusCode, made.json()]).toMatchObject([201, scope])
  const { token, tokenId } = made.json<Issued>()
  expect((await browser.get('/api/tokens')).json()).toMatchObject({ tokens: [scope] })
  const renewed = (await browser.call('POST', `/api/tokens/${tokenId}/regenerate`)).json<Issued>()
  expect([token.slice(0, 4), renewed.token.slice(0, 4)]).toEqual(['qbp_', 'qbp_'])
  expect(renewed.token).not.toBe(token)
  expect((await browser.call('DELETE', `/api/tokens/${tokenId}`)).statusCode).toBe(204)
  expect((await browser.get('/api/tokens')).json()).toMatchObject({
    tokens: [{ revokedAt: expect.any(String) as string }],
  })
})

test('responds with not found to a token of another account', async () => {
  const owner = await signedInBrowser(service)
  const stranger = await signedInBrowser(service)
  const { token, tokenId } = (await owner.browser.call('POST', '/api/tokens', { name: 'mine' })).json<Issued>()
  expect((await stranger.browser.call('POST', `/api/tokens/${tokenId}/regenerate`)).statusCode).toBe(404)
  expect((await stranger.browser.call('DELETE', `/api/tokens/${tokenId}`)).statusCode).toBe(404)
  expect((await stranger.browser.get('/api/tokens')).json()).toEqual({ tokens: [] })
  expect(await isKnown(token)).toBe(true)
})

test.each([
  [{}, 'name'],
  [{ name: '  ' }, 'name'],
  [{ name: 'x', areas: [] }, 'areas'],
  [{ name: 'x', areas: ['everything'] }, 'areas.0'],
  [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
  [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  [{ name: 'x', plan: 'unlimited' }, 'plan'],
  [{ name: 'x', origins: [] }, 'origins'],
  [{ name: 'x', origins: ['https://a.example/'], spaces: [40] }, 'origins'],
  [{ name: 'x', origins: ['https://a.example'] }, 'spaces'],
  [{ name: 'x', origins: ['https://a.example'], spaces: [41] }, 'spaces'],
  [{ name: 'x', spaces: [40] }, 'spaces'],
])('rejects %j and names the field', async (body, field) => {
  const { browser } = await signedInBrowser(service)
  const response = await browser.call('POST', '/api/tokens', body)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ error: { code: 'invalid_argument', field } })
})

test('limits an account to ten tokens a day, including revoked tokens', async () => {
  const { browser } = await signedInBrowser(service)
  const create = (more: object = {}) => browser.call('POST', '/api/tokens', { name: 'one more', ...more })
  const refusal = async () => (await create()).json<{ error: { code: string; message: string } }>().error
  const now = service.clock.now()
  const tomorrow = new Date(Math.floor(now / DAY) * DAY + DAY)
  expect((await create({ expiresAt: new Date(now + MINUTE) })).statusCode).toBe(201)
  const made = await Promise.all(Array.from({ length: 9 }, async () => (await create()).json<Issued>()))
  expect((await refusal()).message).toContain('revoke one')

  service.clock.advance(2 * MINUTE)
  const [first, second] = made as [Issued, Issued]
  expect((await browser.call('DELETE', `/api/tokens/${first.tokenId}`)).statusCode).toBe(204)
  const { message } = await refusal()
  expect(message).toContain(`created from ${tomorrow.toISOString()} on`)
  // Its quota stays with its id.
  const regenerated = (await browser.call('POST', `/api/tokens/${second.tokenId}/regenerate`)).json<Issued>()
  expect(regenerated.tokenId).toBe(second.tokenId)

  service.clock.advance(tomorrow.getTime() - service.clock.now())
  expect([(await create()).statusCode, (await create()).statusCode]).toEqual([201, 201])
  expect(await refusal()).toMatchObject({ code: 'too_many_tokens' })
})

test('measures the length of a name in characters, as in imports', async () => {
  const { browser } = await signedInBrowser(service)
  for (const path of ['/api/tokens', '/api/ingest-tokens']) {
    const named = (name: string) => browser.call('POST', path, { name, ...(path.includes('ingest') && { spaces: [] }) })
    for (const name of ['', ' ', '🦊'.repeat(101)])
      expect((await named(name)).json<{ error: object }>().error).toMatchObject({
        field: 'name',
        message: 'name must be 1 to 100 characters',
      })
    if (path === '/api/tokens') expect((await named('🦊'.repeat(100))).statusCode).toBe(201)
  }
})

test('returns usage by token and day for the requested days', async () => {
  const { browser } = await signedInBrowser(service)
  const { tokenId } = (await browser.call('POST', '/api/tokens', { name: 'backend' })).json<Issued>()
  const today = new Date(service.clock.now()).toISOString().slice(0, 10)
  await service.database.query(
    `INSERT INTO token_usage VALUES
       ($1, $2, 'quest', 200, 7, now(), '{3,4}'), ($1, $2::date - 40, 'quest', 200, 5, now(), NULL)`,
    [tokenId, today],
  )
  const usage = await browser.get('/api/usage')
  expect(usage.json()).toMatchObject({
    usage: [
      {
        tokenId,
        name: 'backend',
        quota: { plan: 'free' },
        days: [{ day: today, operation: 'quest', status: 200, requests: 7, latencies: [3, 4] }],
      },
    ],
  })
  expect((await browser.get('/api/usage?days=0')).statusCode).toBe(400)
  expect((await browser.get('/api/usage?days=1&days=2')).statusCode).toBe(400)
})

test('returns the last requests of a token to its account only', async () => {
  const { browser } = await signedInBrowser(service)
  const { tokenId } = (await browser.call('POST', '/api/tokens', { name: 'backend' })).json<Issued>()
  await service.database.query(
    `INSERT INTO token_requests (token_id, at, request_id, operation, status, milliseconds, code)
     SELECT $1, now() - n * interval '1 second', n, 'quest', 200, 1.5, CASE WHEN n = 1 THEN 'NOT_FOUND' END
     FROM generate_series(1, 120) AS n`,
    [tokenId],
  )
  const { requests } = (await browser.get(`/api/tokens/${tokenId}/requests`)).json<{ requests: unknown[] }>()
  expect(requests).toHaveLength(100)
  expect(requests[0]).toMatchObject({
    requestId: '1',
    operation: 'quest',
    status: 200,
    milliseconds: 1.5,
    code: 'NOT_FOUND',
  })
  const { browser: other } = await signedInBrowser(service)
  expect((await other.get(`/api/tokens/${tokenId}/requests`)).statusCode).toBe(404)
})

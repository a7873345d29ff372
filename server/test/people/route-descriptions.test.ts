import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAuthenticator } from '../../src/access/authenticate-server-token.ts'
import { createIngestToken } from '../../src/access/ingest-tokens.ts'
import { createToken } from '../../src/access/server-tokens.ts'
import { authenticateIngest } from '../../src/ingest-api/authenticate.ts'
import { createTokenUses } from '../../src/ingest-api/token-uses.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../content/arrange.ts'
import { prove } from '../identity/wallet-proof.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { approvedApp, tokensFor } from '../support/oauth-flow.ts'

const PEOPLE = '/api/operator/people'

interface Person {
  id: string
  username: string
  operator: boolean
  suspendedAt: string | null
  identities: { kind: string; subject: string }[]
  passkeys: number
}
interface Page {
  items: Person[]
  next: string | null
}

let service: ContentService
let operator: Editor
beforeAll(async () => {
  service = await startContent()
  operator = service.operator
  await service.database.query("INSERT INTO plans (plan) VALUES ('free') ON CONFLICT DO NOTHING")
  await importRecords(service.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
})
afterAll(() => service.close())

const search = async (text: string) =>
  (await operator.get<Page>(`${PEOPLE}?search=${encodeURIComponent(text)}`)).body.items.map(({ id }) => id)
const suspend = (who: Editor, id: string, reason: unknown = 'Bots') =>
  who.call<ErrorBody>('POST', `${PEOPLE}/${id}/suspend`, { reason })
const signInAgain = (someone: Editor) =>
  prove(
    openBrowser(service.fastify),
    { kind: 'EVMAddress', address: someone.account.wallet.address },
    ({ message }) => ({
      signature: someone.account.wallet.sign(message),
    }),
  )
const subjectOf = async ({ account }: Editor) =>
  (
    await service.database.query<{ subject: string }>('SELECT subject FROM identities WHERE account_id = $1', [
      account.id,
    ])
  )[0]?.subject ?? ''

describe('people', () => {
  it('operators list them with the number of their passkeys', async () => {
    const { account } = await service.someone()
    await service.database.query(
      `INSERT INTO passkeys (passkey_id, account_id, public_key, sign_count, transports, created_at)
       VALUES ('a', $1, '', 0, '{}', now()), ('b', $1, '', 0, '{}', now())`,
      [account.id],
    )
    const found = (await operator.get<Page>(`${PEOPLE}?search=${account.id}`)).body.items
    expect(found).toMatchObject([{ id: account.id, passkeys: 2 }])
    expect((await operator.get(`${PEOPLE}/${account.id}`)).body).toMatchObject({ passkeys: 2 })
    expect((await operator.get(`${PEOPLE}/${operator.account.id}`)).body).toMatchObject({ passkeys: 0 })
  })

  it('the list has the newest first, page by page', async () => {
    for (let i = 0; i < 3; i++) {
      service.clock.advance(1_000)
      await service.someone()
    }
    const ids: string[] = []
    let after = ''
    do {
      const { body } = await operator.get<Page>(`${PEOPLE}?first=2${after}`)
      ids.push(...body.items.map(({ id }) => id))
      after = body.next === null ? '' : `&after=${encodeURIComponent(body.next)}`
    } while (after !== '')
    const rows = await service.database.query<{ id: string }>(
      'SELECT account_id AS id FROM accounts ORDER BY created_at DESC, account_id DESC',
    )
    expect(ids).toEqual(rows.map(({ id }) => id))
    for (const query of [
      'after=x',
      'after=2026-99-99T00:00:00Z_00000000-0000-4000-8000-000000000000',
      'first=0',
      'first=201',
    ])
      expect((await operator.get(`${PEOPLE}?${query}`)).status, query).toBe(400)
  })

  it('the search finds them by ID, the beginning of a username, address and name of an identity', async () => {
    const someone = await service.someone()
    const { id, username } = someone.account
    const address = await subjectOf(someone)
    await service.database.query("UPDATE identities SET username = 'Bee#1' WHERE account_id = $1", [id])
    expect(await search(id)).toEqual([id])
    expect(await search(username.toUpperCase())).toEqual([id])
    expect(await search(username.slice(0, -1))).toContain(id)
    expect(await search(address.toUpperCase().replace('0X', '0x'))).toEqual([id])
    expect(await search('@bee#1')).toEqual([id])
    expect(await search('%')).toEqual([])
    expect(await search('nobody-at-all')).toEqual([])
  })

  it('have a profile', async () => {
    const someone = await service.withRole(40, 'owner')
    await someone.call('POST', '/api/tokens', { name: 'Mine' })
    await importRecords(service.services, 'awards', [
      { key: 'p1', spaceId: 40, address: await subjectOf(someone), points: 7 },
    ])
    const { body } = await operator.get<Record<string, unknown>>(`${PEOPLE}/${someone.account.id}`)
    expect(body).toMatchObject({
      username: someone.account.username,
      operator: false,
      suspension: null,
      identities: [{ kind: 'EVMAddress' }],
      sessions: 1,
      tokens: [{ name: 'Mine', plan: 'free' }],
      spaces: [{ spaceId: 40, name: 'Forty', role: 'owner' }],
      points: [{ spaceId: 40, points: 7 }],
    })
    expect((await operator.get(`${PEOPLE}/00000000-0000-4000-8000-000000000000`)).status).toBe(404)
  })

  it('only operators see them', async () => {
    const someone = await service.someone()
    const path = `${PEOPLE}/${operator.account.id}`
    const calls = [
      await someone.get(PEOPLE),
      await someone.get(path),
      await suspend(someone, operator.account.id),
      await someone.call('PUT', `${PEOPLE}/${someone.account.id}/operator`),
      await someone.call('DELETE', path),
      await someone.call('POST', `${path}/export`),
      await someone.call('DELETE', `${path}/tokens/${operator.account.id}`),
      await someone.call('DELETE', `${path}/ingest-tokens/${operator.account.id}`),
      await someone.call('DELETE', `${path}/webhooks/${operator.account.id}`),
      await someone.call('POST', '/api/operator/addresses/export', { address: 'ann' }),
      await someone.call('POST', '/api/operator/addresses/erase', { address: 'ann' }),
    ]
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 403))
  })
})

describe('a suspended account', () => {
  it('has no session, no tokens and no app access until it is resumed', async () => {
    const someone = await service.someone()
    const { id } = someone.account
    const app = await approvedApp(service)
    const granted = await tokensFor(service, someone.browser, app)
    const hook = { url: 'https://example.com/x', events: ['points.awarded'], spaceIds: [40] }
    const hooked = await someone.call('POST', '/api/webhooks', hook)
    expect(hooked.status, JSON.stringify(hooked.body)).toBe(201)
    await importRecords(service.services, 'awards', [{ key: 'w', spaceId: 40, address: 'ann', points: 1 }])
    const { token } = (await someone.call<{ token: string }>('POST', '/api/tokens', { name: 'T' })).body
    const ingest = await createIngestToken(service.services, { accountId: id, name: 'I', spaces: [40] })
    const authenticator = createAuthenticator(service.database, service.clock)
    const uses = createTokenUses(service.services)
    onTestFinished(() => uses.close())
    const useTokens = () => {
      const headers = { 'access-token': token }
      const request = { headers: { authorization: `Bearer ${ingest.token}` } } as FastifyRequest
      return Promise.allSettled([
        authenticator.authenticate({ headers, headersDistinct: {} }),
        authenticateIngest({ ...service.services, uses }, request),
      ])
    }
    expect(await useTokens()).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }])
    const done = await suspend(operator, id, '  Bots  ')
    expect(done).toMatchObject({ status: 200, body: { reason: 'Bots', sessions: 1, webhooks: 1 } })

    expect((await someone.get('/api/tokens')).status).toBe(401)
    const reason = { message: 'Invalid access token: its account is suspended' }
    expect(await useTokens()).toMatchObject([{ reason }, { reason }])
    await expect(createToken(service.services, { accountId: id, name: 'New' })).rejects.toThrow(
      'The account is suspended',
    )
    const userData = await service.fastify.inject({
      url: '/oauth/api/2/user',
      headers: { authorization: `Bearer ${granted.access_token}` },
    })
    expect(userData.statusCode).toBe(401)
    const { body } = await operator.get<Page>(`${PEOPLE}?search=${id}`)
    expect(body.items[0]?.suspendedAt).toEqual(expect.any(String))
    expect(await service.logOf(someone)).toContainEqual({
      event: 'account.suspended',
      details: { reason: 'Bots', by: 'operator' },
    })
    expect((await suspend(operator, id)).body.error.code).toBe('already_suspended')

    const refused = await signInAgain(someone)
    expect([refused.statusCode, refused.json<ErrorBody>().error.code]).toEqual([403, 'account_suspended'])
    expect((await operator.call('POST', `${PEOPLE}/${id}/resume`)).status).toBe(204)
    expect((await signInAgain(someone)).statusCode).toBe(200)
    expect(await useTokens()).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }])
    expect((await operator.call('POST', `${PEOPLE}/${id}/resume`)).status).toBe(409)
  })

  it('cannot merge into another account', async () => {
    const [suspended, other] = [await service.someone(), await service.someone()]
    const { wallet } = suspended.account
    const offered = await prove(
      other.browser,
      { kind: 'EVMAddress', address: wallet.address, purpose: 'merge' },
      ({ message }) => ({ signature: wallet.sign(message) }),
    )
    const { merge } = offered.json<{ merge: { id: string } }>()
    expect((await suspend(operator, suspended.account.id)).status).toBe(200)
    const confirmed = await other.call<ErrorBody>('POST', `/api/merges/${merge.id}`)
    expect([confirmed.status, confirmed.body.error.code]).toEqual([403, 'account_suspended'])
  })

  it('needs a reason, and is not the own account', async () => {
    const { id } = (await service.someone()).account
    for (const reason of ['', ' ', 'x'.repeat(501), 'a\0b'])
      expect((await suspend(operator, id, reason)).status).toBe(400)
    expect((await suspend(operator, operator.account.id)).body.error.code).toBe('own_account')
  })
})

describe('operator rights', () => {
  it('operators grant and withdraw them, but not their own', async () => {
    const someone = await service.someone()
    const path = `${PEOPLE}/${someone.account.id}/operator`
    expect((await operator.call('PUT', path)).status).toBe(204)
    expect((await someone.get(PEOPLE)).status).toBe(200)
    expect((await someone.call('DELETE', path)).status).toBe(409)
    expect((await operator.call('DELETE', path)).status).toBe(204)
    expect((await someone.get(PEOPLE)).status).toBe(403)
    expect(await service.logOf(someone)).toContainEqual({
      event: 'account.operator-withdrawn',
      details: { by: 'operator' },
    })
  })
})

describe('the data of a person', () => {
  it('operators export it with an entry in the log, and erase it', async () => {
    const someone = await service.someone()
    const path = `${PEOPLE}/${someone.account.id}`
    const exported = await operator.call<{ account: { accounts: object[] } }>('POST', `${path}/export`)
    expect(exported.body.account.accounts).toEqual([expect.objectContaining({ name: someone.account.username })])
    expect(await service.logOf(someone)).toContainEqual({
      event: 'person.account-exported',
      details: { by: 'operator' },
    })
    expect((await operator.call('DELETE', path)).status).toBe(204)
    expect((await someone.get('/api/tokens')).status).toBe(401)
    expect((await operator.get(path)).status).toBe(404)
    expect((await operator.call('DELETE', path)).status).toBe(404)
    expect((await operator.call('DELETE', `${PEOPLE}/${operator.account.id}`)).status).toBe(409)
  })
})

describe('a single token or webhook of an account', () => {
  const make = async (who: Editor, path: string, body: object) =>
    (await who.call<{ tokenId: string; id: string }>('POST', path, body)).body

  it('an operator ends it, and its owner finds that in the log', async () => {
    const someone = await service.withRole(40, 'owner')
    const path = `${PEOPLE}/${someone.account.id}`
    const { tokenId } = await make(someone, '/api/tokens', { name: 'T' })
    const kept = await make(someone, '/api/tokens', { name: 'Kept' })
    const ingest = await make(someone, '/api/ingest-tokens', { name: 'I', spaces: [40] })
    const hook = { url: 'https://example.com/secret', events: ['points.awarded'], spaceIds: [40] }
    const { id: webhook } = await make(someone, '/api/webhooks', hook)
    const profile = await operator.get(path)
    expect(profile.body).toMatchObject({
      webhooks: [{ webhookId: webhook, host: 'example.com', events: ['points.awarded'], disabledReason: null }],
    })
    expect(JSON.stringify(profile.body)).not.toContain('/secret')

    for (const ended of [`tokens/${tokenId}`, `ingest-tokens/${ingest.tokenId}`, `webhooks/${webhook}`])
      expect((await operator.call('DELETE', `${path}/${ended}`)).status, ended).toBe(204)
    const { tokens } = (await someone.get<{ tokens: { tokenId: string; revokedAt: string | null }[] }>('/api/tokens'))
      .body
    expect(tokens.find((token) => token.tokenId === tokenId)?.revokedAt).toEqual(expect.any(String))
    expect(tokens.find((token) => token.tokenId === kept.tokenId)?.revokedAt).toBeNull()
    expect((await someone.get('/api/ingest-tokens')).body).toMatchObject({
      tokens: [{ revokedAt: expect.any(String) as string }],
    })
    expect((await someone.get('/api/webhooks')).body).toMatchObject({ webhooks: [] })
    const log = await service.logOf(someone)
    for (const [event, details] of [
      ['token.revoked', { tokenId, name: 'T' }],
      ['ingest-token.revoked', { tokenId: ingest.tokenId, name: 'I' }],
      ['webhook.deleted', { webhook }],
    ])
      expect(log).toContainEqual({ event, details: { ...(details as object), by: 'operator' } })
  })

  it('the page of another account cannot end it', async () => {
    const [owner, other] = [await service.withRole(40, 'owner'), await service.someone()]
    const { tokenId } = await make(owner, '/api/tokens', { name: 'T' })
    const ingest = await make(owner, '/api/ingest-tokens', { name: 'I', spaces: [40] })
    const hook = { url: 'https://example.com/x', events: ['points.awarded'], spaceIds: [40] }
    const { id: webhook } = await make(owner, '/api/webhooks', hook)
    for (const ended of [`tokens/${tokenId}`, `ingest-tokens/${ingest.tokenId}`, `webhooks/${webhook}`])
      expect((await operator.call('DELETE', `${PEOPLE}/${other.account.id}/${ended}`)).status, ended).toBe(404)
    for (const path of ['/api/tokens', '/api/ingest-tokens'])
      expect((await owner.get(path)).body, path).toMatchObject({ tokens: [{ revokedAt: null }] })
    expect((await owner.get('/api/webhooks')).body).toMatchObject({ webhooks: [{ id: webhook }] })
  })
})

describe('an address without an account', () => {
  const ADDRESSES = '/api/operator/addresses'
  const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'

  it('operators export and erase its data, with entries in the log that do not name it', async () => {
    await importRecords(service.services, 'awards', [{ key: 'gone', spaceId: 40, address, points: 3 }])
    const exported = await operator.call('POST', `${ADDRESSES}/export`, { address })
    expect(exported).toMatchObject({
      status: 200,
      body: { addresses: [address.toLowerCase()], underAddresses: { board_entries: [{ points: 3 }] } },
    })
    const erased = await operator.call('POST', `${ADDRESSES}/erase`, { address: ` ${address} ` })
    expect(erased).toEqual({ status: 200, body: { boards: 1, quests: 0, links: 0, bans: 0 } })
    const again = await operator.call<{ underAddresses: object }>('POST', `${ADDRESSES}/export`, { address })
    expect(again.body.underAddresses).not.toHaveProperty('board_entries')
    const log = await service.logOf(operator)
    expect(log).toContainEqual({ event: 'person.address-exported', details: { by: 'operator' } })
    const details = { boards: '1', quests: '0', links: '0', bans: '0', by: 'operator' }
    expect(log).toContainEqual({ event: 'person.address-erased', details })
    expect(JSON.stringify(log).toLowerCase()).not.toContain(address.toLowerCase())
  })

  it('must be an address, a mail address or a handle', async () => {
    for (const wrong of [{}, { address: '' }, { address: 7 }, { address: 'x'.repeat(10_000) }]) {
      const refused = await operator.call<ErrorBody>('POST', `${ADDRESSES}/erase`, wrong)
      expect([refused.status, refused.body.error.field]).toEqual([400, 'address'])
    }
  })
})

describe('an invitation of an operator', () => {
  it('makes an account an operator, needs a recent sign-in, and leaves an entry in the log without its code', async () => {
    const invited = await operator.call<{ url: string; expiresAt: string }>('POST', '/api/operator/invitations')
    expect(invited.status).toBe(201)
    const [, code] = invited.body.url.split('/operator-invitation#')
    const someone = await service.someone()
    expect((await someone.call('POST', '/api/operator/invitations')).status).toBe(403)
    expect((await someone.call('POST', '/api/operator/invitations/accept', { code })).status).toBe(204)
    expect((await someone.get(PEOPLE)).status).toBe(200)
    const entries = await service.logOf(operator)
    expect(entries).toContainEqual({ event: 'operator.invited', details: {} })
    expect(JSON.stringify(entries)).not.toContain(code)
    service.clock.advance(2 * 3_600_000)
    for (const late of [
      await someone.call<ErrorBody>('POST', '/api/operator/invitations'),
      await someone.call<ErrorBody>('POST', '/api/operator/addresses/erase', { address: 'ann' }),
      await someone.call<ErrorBody>('DELETE', `${PEOPLE}/${operator.account.id}/tokens/${operator.account.id}`),
    ])
      expect(late).toMatchObject({ status: 403, body: { error: { code: 'fresh_sign_in_required' } } })
  })
})

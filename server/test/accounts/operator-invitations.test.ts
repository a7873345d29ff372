import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inviteOperator } from '../../src/accounts/operator-invitations.ts'
import { DAY, MINUTE } from '../../src/clock.ts'
import { invitationReadsByNetwork } from '../../src/rate-limits/limits.ts'
import { countAttempt } from '../../src/rate-limits/fixed-window.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

describe('a link that makes an operator', () => {
  let service: SignInService
  let user: SignedIn
  beforeAll(async () => {
    service = await startSignIn()
  })
  afterAll(() => service.close())
  beforeEach(async () => {
    await service.database.query('DELETE FROM operators')
    user = await signedInBrowser(service)
  })

  const invite = async (options = {}) => {
    const { url } = await inviteOperator(service.services, DAY, options)
    return new URL(url).hash.slice(1)
  }
  const accept = async ({ browser }: SignedIn, code: string) =>
    (await browser.call('POST', '/api/operator/invitations/accept', { code })).statusCode
  const view = async ({ browser }: SignedIn, code: string) =>
    (await browser.call('POST', '/api/operator/invitations/view', { code })).statusCode
  const isOperator = async ({ browser }: SignedIn) =>
    (await browser.get('/api/session')).json<{ account: { operator: boolean } }>().account.operator

  it('works once', async () => {
    const code = await invite()
    expect([await view(user, code), await view(user, code), await accept(user, code)]).toEqual([200, 200, 204])
    expect(await isOperator(user)).toBe(true)
    const next = await signedInBrowser(service)
    expect([await view(next, code), await accept(next, code)]).toEqual([404, 404])
    expect(await isOperator(next)).toBe(false)
  })

  it('makes one operator when several accounts accept it at once', async () => {
    const code = await invite()
    const users = await Promise.all(Array.from({ length: 5 }, () => signedInBrowser(service)))
    const statuses = await Promise.all(users.map((each) => accept(each, code)))
    expect(statuses.toSorted()).toEqual([204, 404, 404, 404, 404])
  })

  it('expires', async () => {
    const code = await invite()
    service.clock.advance(DAY)
    const late = await signedInBrowser(service)
    expect([await view(late, code), await accept(late, code)]).toEqual([404, 404])
  })

  it('of the start is invalid as soon as there is an operator', async () => {
    const ofStart = await invite({ forFirst: true })
    expect(await accept(user, await invite())).toBe(204)
    const next = await signedInBrowser(service)
    expect([await view(next, ofStart), await accept(next, ofStart)]).toEqual([404, 404])
    await service.database.query('DELETE FROM operators')
    expect(await accept(next, ofStart)).toBe(404)
    expect(await isOperator(next)).toBe(false)
  })

  it('of the start replaces those of earlier starts', async () => {
    const [earlier, newest] = [await invite({ forFirst: true }), await invite({ forFirst: true })]
    expect(await accept(user, earlier)).toBe(404)
    expect(await accept(user, newest)).toBe(204)
  })

  it('stays valid when an operator opens it', async () => {
    expect(await accept(user, await invite())).toBe(204)
    const code = await invite()
    expect(await accept(user, code)).toBe(409)
    expect(await accept(await signedInBrowser(service), code)).toBe(204)
  })

  it('requires a session, and a code', async () => {
    const code = await invite()
    const response = await service.fastify.inject({
      method: 'POST',
      url: '/api/operator/invitations/accept',
      payload: { code },
    })
    expect(response.statusCode).toBe(403)
    expect(await accept(user, 'qbo_guess')).toBe(404)
    const without = await user.browser.call('POST', '/api/operator/invitations/accept', {})
    expect([without.statusCode, without.json<{ error: { field: string } }>().error.field]).toEqual([400, 'code'])
  })

  it('shows its expiry without a session, up to a limit of the network', async () => {
    const code = await invite()
    const network = '203.0.113.9'
    const visitor = openBrowser(service.fastify, network)
    const check = () => visitor.call('POST', '/api/operator/invitations/view', { code })
    const first = await check()
    expect(first.statusCode).toBe(200)
    expect(first.json<object>()).toEqual({ expiresAt: new Date(service.clock.now() + DAY).toISOString() })
    for (let made = 1; made < invitationReadsByNetwork.max; made++)
      await countAttempt(service.services, invitationReadsByNetwork, network)
    const above = await check()
    expect([above.statusCode, Number(above.headers['retry-after']) > 0]).toEqual([429, true])
  })

  it('leaves an entry in the audit log', async () => {
    service.clock.advance(MINUTE)
    await accept(user, await invite())
    const [entry] = await service.database.query<{ details: object }>(
      `SELECT details FROM security_events WHERE account_id = $1 AND event = 'account.operator-granted'`,
      [user.account.id],
    )
    expect(entry?.details).toEqual({ by: 'invitation' })
  })
})

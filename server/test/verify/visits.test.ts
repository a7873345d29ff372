import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/clock.ts'
import { linkWallet, type Member } from '../claims/member-fixture.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { type Asked, errorOf, QUIZ, startActs, TARGET } from './act-fixture.ts'

const { service, member, questOn, holders, quest, group } = await startActs()
afterAll(() => service.close())

let alice: Member
let asked: Asked
beforeEach(async () => {
  await service.database.query('DELETE FROM attempt_windows')
  alice = await member()
  asked = await questOn({ kind: 'VISIT_LINK', target: TARGET })
})

const ask = ({ browser }: Pick<Member, 'browser'>, body: object = {}, { questId, credentialId } = asked) =>
  browser.call('POST', `/api/quests/${questId}/visits/${credentialId}`, body)
const linkOf = async (who: Member, body?: object) => {
  const { url } = (await ask(who, body)).json<{ url: string }>()
  return url.replace(service.services.site.issuer, '')
}
const open = ({ browser }: Pick<Member, 'browser'>, path: string, headers = {}) => browser.get(path, headers)

describe('a link to visit', () => {
  test('records the holder, and leads to the stored target', async () => {
    const asking = await ask(alice)
    expect(asking.json()).toEqual({
      url: expect.stringMatching(/^http.*\/visit\?link=[A-Za-z0-9_-]+$/) as string,
      expiresAt: new Date(service.clock.now() + 15 * MINUTE).toISOString(),
    })
    expect(await holders(asked.credentialId)).toEqual([])
    const opened = await open(alice, await linkOf(alice))
    expect([opened.statusCode, opened.headers.location, opened.headers['referrer-policy']]).toEqual([
      ...[303, TARGET, 'no-referrer'],
    ])
    expect(opened.headers['cache-control']).toBe('no-store')
    expect(await holders(asked.credentialId)).toEqual([alice.address])
    const claimed = await alice.browser.call('POST', `/api/quests/${asked.questId}/claim`)
    expect(claimed.json()).toMatchObject({ status: 'applied' })
  })

  test('is harmless when it is opened twice', async () => {
    const path = await linkOf(alice)
    await open(alice, path)
    expect((await open(alice, path)).statusCode).toBe(303)
    expect(await holders(asked.credentialId)).toEqual([alice.address])
  })

  test('counts for the address that was named', async () => {
    const second = await linkWallet(alice)
    await open(alice, await linkOf(alice, { address: second }))
    expect(await holders(asked.credentialId)).toEqual([second])
  })

  test('leads nowhere else, whatever parameters it has', async () => {
    const opened = await open(alice, `${await linkOf(alice)}&target=https://evil.example/&url=https://evil.example/`)
    expect(opened.headers.location).toBe(TARGET)
  })

  test('shows neither account nor address', async () => {
    const path = await linkOf(alice, { address: alice.address })
    const text = Buffer.from(path.split('=')[1] ?? '', 'base64url').toString('latin1')
    expect(text).not.toContain(alice.address)
    expect(text).not.toContain(alice.accountId)
  })

  test.each([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ])('does not count when the browser loads it in advance (%j)', async (headers) => {
    const opened = await open(alice, await linkOf(alice), headers)
    expect([opened.statusCode, opened.headers.location]).toEqual([204, undefined])
    expect(await holders(asked.credentialId)).toEqual([])
  })

  test('does not count with HEAD', async () => {
    const path = await linkOf(alice)
    const cookie = [...alice.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const looked = await service.fastify.inject({ method: 'HEAD', url: path, headers: { cookie } })
    expect(looked.headers.location).toBeUndefined()
    expect(await holders(asked.credentialId)).toEqual([])
  })
})

describe('the service refuses a link to visit with a page', () => {
  const refusedWith = async (who: Pick<Member, 'browser'>, path: string) => {
    const opened = await open(who, path)
    expect(opened.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(opened.headers.location).toBeUndefined()
    expect(opened.body).toContain('The visit does not count')
    expect(opened.body).not.toContain('example.org')
    expect(await holders(asked.credentialId)).toEqual([])
    return opened.statusCode
  }

  test('after 15 minutes', async () => {
    const path = await linkOf(alice)
    service.clock.advance(15 * MINUTE)
    expect(await refusedWith(alice, path)).toBe(410)
  })

  test('if it is forged, cut or missing', async () => {
    const path = await linkOf(alice)
    const at = path.length - 10
    const changed = `${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`
    for (const one of [changed, path.slice(0, -8), '/visit?link=', '/visit', '/visit?link=a&link=b'])
      expect(await refusedWith(alice, one)).toBe(400)
  })

  test('in the browser of another account, and without a session', async () => {
    const path = await linkOf(alice)
    expect(await refusedWith(await member(), path)).toBe(403)
    expect(await refusedWith({ browser: openBrowser(service.fastify) }, path)).toBe(401)
  })

  test('if the quest has changed in the meantime', async () => {
    const path = await linkOf(alice)
    await quest(asked.questId, { credentialGroups: [] })
    expect(await refusedWith(alice, path)).toBe(404)
    await quest(asked.questId, { isPrivate: true, credentialGroups: [group('ALL', asked.credentialId)] })
    expect(await refusedWith(alice, path)).toBe(404)
  })

  test('after 20 requests in a minute', async () => {
    const path = await linkOf(alice)
    for (let n = 0; n < 20; n++) await ask(alice)
    expect(errorOf(await ask(alice))).toEqual([429, 'too_many_requests'])
    expect(await refusedWith(alice, path)).toBe(429)
  })
})

describe('the service gives no link', () => {
  test('without a session or CSRF token', async () => {
    expect((await ask({ browser: openBrowser(service.fastify) })).statusCode).toBe(401)
    const url = `/api/quests/${asked.questId}/visits/${asked.credentialId}`
    expect((await alice.browser.send({ method: 'POST', url, body: {} })).statusCode).toBe(403)
  })

  test('for other conditions, other sources and addresses that are not linked', async () => {
    const quiz = await questOn(QUIZ)
    expect(errorOf(await ask(alice, {}, quiz))).toEqual([409, 'not_a_visit_link'])
    expect(errorOf(await ask(alice, {}, { ...asked, credentialId: quiz.credentialId }))).toEqual([404, 'not_found'])
    const { address } = await member()
    expect(errorOf(await ask(alice, { address }))).toEqual([400, 'invalid_argument', 'address'])
    const github = await questOn({ kind: 'VISIT_LINK', target: TARGET }, { credType: 'GITHUB' })
    expect(errorOf(await ask(alice, {}, github))).toEqual([409, 'identity_missing'])
  })
})

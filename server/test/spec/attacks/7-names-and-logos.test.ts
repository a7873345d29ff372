import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decideApp } from '../../../src/oauth/apps.ts'
import { escapeHtml } from '../../../src/text/html.ts'
import { approvedApp, signedInBrowser } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn()
})
afterAll(() => service.close())

const WEB_SOURCES = join(import.meta.dirname, '../../../../web/src')

describe('attack 72: names and logos of apps', () => {
  test.each([
    '<b>Wallet</b>',
    'Good\u202Elive',
    'a\u0000b',
    'a\nb',
    'a\u2066b',
    'zero\u200Bwidth',
    '\u3164',
    'Uniswap\u115F',
    '\u1160',
    'a\uFFA0b',
    'Uni\u034Fswap',
    'a\uFE0Fb',
    `Z${'\u0301'.repeat(3)}algo`,
    `Z\u00E9${'\u0301'.repeat(2)}`,
    '\u0301',
    '...',
    ' ',
    'x'.repeat(81),
  ])('rejects the name %j', async (name) => {
    const { browser } = await signedInBrowser(service)
    const response = await browser.call('POST', '/api/apps', {
      name,
      purpose: 'Tests',
      redirectUris: ['https://a.example/'],
      scopes: [],
    })
    expect(response.statusCode).toBe(400)
  })
  test.each(['Tiếng Việt', 'क्षेत्र', 'שָׁלוֹם', '量子 2', 'עִבְרִית', 'Café'])('accepts the name %j', async (name) => {
    const { browser } = await signedInBrowser(service)
    const form = { name, purpose: 'Tests', redirectUris: ['https://a.example/'], scopes: [] }
    expect((await browser.call('POST', '/api/apps', form)).json()).toMatchObject({ name })
  })
  test('creates no markup from text in pages, and escapes text on the error page', async () => {
    const pages = globSync('**/*.{ts,tsx}', { cwd: WEB_SOURCES })
    expect(pages.length).toBeGreaterThan(20)
    for (const file of pages)
      expect(readFileSync(join(WEB_SOURCES, file), 'utf8'), file).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet|\beval\(/i,
      )
    expect(escapeHtml('<a href="x">\u202E\'&')).toBe('&lt;a href=&quot;x&quot;&gt;&#39;&amp;')
  })
  test('stores logos: rejects URLs and SVG, and serves images that cannot run scripts', async () => {
    const owner = await signedInBrowser(service)
    const own = await approvedApp(service, {}, owner.account.id)
    await decideApp(service.services, own.clientId, 'refuse')
    const put = (logo: string) => owner.browser.call('PUT', `/api/apps/${own.clientId}/logo`, { logo })
    for (const bad of ['https://evil.example/tracker.png', Buffer.from('<svg onload=alert(1)>').toString('base64'), ''])
      expect((await put(bad)).statusCode).toBe(400)
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(20)])
    expect((await put(png.toString('base64'))).json()).toMatchObject({
      logo: `/app-logos/${own.clientId}`,
      status: 'pending',
    })
    const events = (await owner.browser.get('/api/audit')).json<{ events: unknown[] }>().events
    expect(events).toContainEqual(expect.objectContaining({ event: 'app.changed', details: { fields: 'logo' } }))
    const served = await owner.browser.get(`/app-logos/${own.clientId}`)
    expect(served.headers['content-type']).toBe('image/png')
    expect(served.headers['x-content-type-options']).toBe('nosniff')
    expect(served.headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect(served.rawPayload.equals(png)).toBe(true)
    expect((await owner.browser.get('/app-logos/nobodyknowsme')).statusCode).toBe(404)
  })
})

import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { GET as callback } from '../../../examples/sign-in-next/app/callback/route.ts'
import { GET as me } from '../../../examples/sign-in-next/app/me/route.ts'
import { GET as signIn } from '../../../examples/sign-in-next/app/sign-in/route.ts'
import { POST as signOut } from '../../../examples/sign-in-next/app/sign-out/route.ts'
import type { Browser } from '../../../server/test/support/oauth-browser.ts'
import { approvedApp, CALLBACK, signedInBrowser } from '../../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../../server/test/support/oauth-service.ts'
import { decide } from './listening.ts'

let service: SignInService
let browser: Browser
let address: string
beforeAll(async () => {
  service = await startListening()
  const app = await approvedApp(service)
  const signedIn = await signedInBrowser(service)
  browser = signedIn.browser
  address = signedIn.account.wallet.address.toLowerCase()
  vi.stubEnv('QUESTBOARD_URL', service.issuer)
  vi.stubEnv('CLIENT_ID', app.clientId)
  vi.stubEnv('CLIENT_SECRET', app.secret)
  vi.stubEnv('REDIRECT_URI', CALLBACK)
  vi.stubEnv('COOKIE_SECRET', 'a secret of at least thirty-two characters')
})
afterEach(() => void vi.useRealTimers())
afterAll(async () => {
  vi.unstubAllEnvs()
  await service.close()
})

const origin = 'https://app.example.com'

/** A request with the cookies of a response. */
function requestWith(path: string, answer?: Response): Request {
  const cookie = answer?.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  return new Request(origin + path, cookie === undefined ? {} : { headers: { cookie } })
}

async function signedIn(): Promise<Response> {
  const begun = await signIn()
  return callback(requestWith(await decide(browser, begun.headers.get('location') ?? ''), begun))
}

test('keeps the session in a cookie that scripts and other sites cannot use', async () => {
  const answer = await signedIn()
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
  const session = answer.headers.getSetCookie().find((one) => one.startsWith('__Host-session='))
  expect(session).toMatch(/; Path=\/; Max-Age=86400; Secure; HttpOnly; SameSite=Lax$/)
  expect(await (await me(requestWith('/me', answer))).json()).toEqual({ address })
  const gone = await signOut()
  expect((await me(requestWith('/me', gone))).status).toBe(401)
})

test('rejects a callback without the cookie of its attempt', async () => {
  const begun = await signIn()
  const path = await decide(browser, begun.headers.get('location') ?? '')
  expect((await callback(requestWith(path))).status).toBe(400)
  expect((await callback(requestWith(path, await signIn()))).status).toBe(400)
})

test('returns a user who refuses to the start page without a session', async () => {
  const begun = await signIn()
  const path = await decide(browser, begun.headers.get('location') ?? '')
  const denied = path.replace(/code=[^&]*/, 'error=access_denied')
  const answer = await callback(requestWith(denied, begun))
  expect(answer.status).toBe(303)
  expect((await me(requestWith('/me', answer))).status).toBe(401)
})

test('ignores a cookie that is changed, renamed, expired or absent', async () => {
  const answer = await signedIn()
  const [, value] = /__Host-session=([^;]+)/.exec(answer.headers.getSetCookie().join()) as unknown as [string, string]
  const asCookie = (cookie: string) => me(new Request(`${origin}/me`, { headers: { cookie } }))
  expect((await asCookie(`other=1; __Host-session=${value}`)).status).toBe(200)
  const [text, signature] = value.split('.') as [string, string]
  const forged = Buffer.from(JSON.stringify({ value: { address: '0x1' }, until: 9e15 })).toString('base64url')
  const begun = await signIn()
  const attempt = /__Host-attempt=([^;]+)/.exec(begun.headers.getSetCookie().join())?.[1] ?? ''
  for (const bad of [`${forged}.${signature}`, `${text}.${'A'.repeat(43)}`, `${text}.A`, text, '', attempt])
    expect((await asCookie(`__Host-session=${bad}`)).status, bad).toBe(401)
  vi.useFakeTimers({ now: Date.now() + 86_401_000, toFake: ['Date'] })
  expect((await asCookie(`__Host-session=${value}`)).status).toBe(401)
})

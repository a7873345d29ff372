import { setOperator } from '../../../src/accounts/account.queries.ts'
import type { SecurityEvent } from '../../../src/audit/audit.ts'
import type { Browser } from '../../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser, type TestApp } from '../../support/oauth-flow.ts'
import type { AuditedWorld, Operation, Sent } from './audited-operation.ts'

let networks = 0

/** Builds the requests of audited operations. */
export function auditedRequests(world: AuditedWorld) {
  // From a network of its own each, because the sign-ins of a network are limited.
  const signedIn = () => signedInBrowser(world.services, `2001:db8:0:${(++networks).toString(16)}::1`)

  async function api(browser: Browser, method: Sent['method'], path: string, body?: unknown): Promise<Sent> {
    const csrf = await browser.csrfToken()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const json = body !== undefined && { 'content-type': 'application/json' }
    const headers = { cookie, 'x-csrf-token': csrf, ...json }
    return { method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  }

  function form(path: string, app: TestApp, parameters: Record<string, string>): Sent {
    const all = { client_id: app.clientId, client_secret: app.secret, ...parameters }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return { method: 'POST', path, headers, body: new URLSearchParams(all).toString() }
  }

  async function operator(): Promise<SignedIn> {
    const someone = await signedIn()
    await setOperator(world.service.database.kysely, someone.account.id, new Date(world.service.clock.now()))
    return someone
  }

  /** A request with a session. */
  const own = (
    event: SecurityEvent,
    method: Sent['method'],
    path: string,
    body?: unknown,
    who: () => Promise<SignedIn> = signedIn,
  ): Operation => about(event, method, async () => path, body, who)

  /** A request for an object that `prepare` created. */
  const about = (
    event: SecurityEvent,
    method: Sent['method'],
    make: (someone: SignedIn) => Promise<string>,
    body?: unknown,
    who: () => Promise<SignedIn> = signedIn,
  ): Operation => ({
    events: [event],
    async prepare() {
      const someone = await who()
      const path = await make(someone)
      return api(someone.browser, method, path, typeof body === 'function' ? (body as () => unknown)() : body)
    },
  })

  return { signedIn, api, form, operator, own, about }
}

import { approvedApp, type SignedIn, tokensFor } from '../../support/oauth-flow.ts'
import type { AuditedWorld, Operation, Sent } from './audited-operation.ts'
import { auditedRequests } from './audited-requests.ts'

/** The audited operations of pages that a browser opens: callbacks of redirect kinds, and the sign-out of an app. */
export function auditedRedirects(world: AuditedWorld): Operation[] {
  const { signedIn, api } = auditedRequests(world)
  let users = 0

  const callback = async ({ browser }: SignedIn, purpose: string): Promise<Sent> => {
    const started = await browser.get(`/identity/Github/start?purpose=${purpose}`)
    if (started.statusCode !== 303) throw new Error(started.body)
    const user = { id: (users += 1), login: `user${users}` }
    const query = world.upstream.consent(String(started.headers.location), user)
    return api(browser, 'GET', `/identity/Github/callback?${query.toString()}`)
  }

  return [
    {
      events: ['account.created', 'session.started'],
      async prepare() {
        const someone = await signedIn()
        await someone.browser.call('DELETE', '/api/session')
        return callback(someone, 'sign-in')
      },
    },
    { events: ['identity.linked'], prepare: async () => callback(await signedIn(), 'link') },
    {
      events: ['session.ended'],
      async prepare() {
        const { browser } = await signedIn()
        const app = await approvedApp(world.services)
        const { id_token = '' } = await tokensFor(world.services, browser, app, { scope: 'openid' })
        return api(browser, 'GET', `/oauth/logout?${new URLSearchParams({ id_token_hint: id_token }).toString()}`)
      },
    },
  ]
}

import { openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import { approvedApp, signedInBrowser } from '../../support/oauth-flow.ts'
import type { SignInService } from '../../support/oauth-service.ts'
import type { Target } from './target.ts'

/** This service on a real port. */
export async function questboardTarget(service: SignInService): Promise<Target> {
  const form = { expiringTokens: true, scopes: ['openid', 'EVMAddress'] }
  const app = await approvedApp(service, form)
  const other = await approvedApp(service, { ...form, redirectUris: ['https://other.example.com/callback'] })
  const user = await signedInBrowser(service)

  return {
    issuer: service.issuer,
    app,
    other,
    paths: {
      token: '/oauth/auth/2/token',
      userInfo: '/oauth/userinfo',
      introspect: '/oauth/introspect',
      revoke: '/oauth/revoke',
    },
    request: (path, init) => fetch(new URL(path, service.issuer), init),
    async authorize(query, { form, signedOut = false } = {}) {
      const browser = signedOut ? openBrowser(service.fastify) : user.browser
      let response =
        form === undefined
          ? await browser.get(`/oauth?${query}`)
          : await browser.send({
              method: 'POST',
              url: `/oauth${query === '' ? '' : `?${query}`}`,
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
              body: form,
            })
      let location = response.headers.location
      if (location?.startsWith(`${service.issuer}/oauth?`)) {
        response = await browser.get(location.slice(service.issuer.length))
        location = response.headers.location
      }
      if (location === undefined) return { at: 'page', status: response.statusCode }
      if (!location.startsWith(`${service.issuer}/authorize/`)) return { at: 'app', url: new URL(location) }
      const path = `/api/authorizations/${location.split('/').pop()}`
      const { account } = (await browser.get(path)).json<{ account: unknown }>()
      if (!account) await signInWithWallet(browser, user.account.wallet)
      const decided = await browser.call('POST', path, { decision: 'allow' })
      return { at: 'app', url: new URL(decided.json<{ redirect: string }>().redirect) }
    },
  }
}

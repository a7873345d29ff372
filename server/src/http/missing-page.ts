import type { Brand } from '../settings/brand.ts'
import { html } from '../text/html.ts'
import { staticPage, staticPagePolicy } from './static-page.ts'
import { SECURITY_HEADERS } from './page-policy.ts'

export const missingPageHeaders = (brand: Brand): Record<string, string> => ({
  ...SECURITY_HEADERS,
  'content-security-policy': staticPagePolicy(brand),
  'cache-control': 'no-store',
})

/** Whether a request is a browser's that goes to a page; programs take anything, or ask for JSON. */
export const isForPage = (method: string, accept = ''): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept)

/** Links to the main pages. It repeats nothing of the requested address. */
export const missingPage = (brand: Brand): string =>
  staticPage(brand, {
    title: 'Page not found',
    body: html`<main id="main" class="alone">
      <article>
        <h1>Page not found</h1>
        <p>There is no page at this address. Go to:</p>
        <ul>
          <li><a href="/">Home</a>: see the communities</li>
          <li><a href="/explore">Explore</a>: browse spaces, starboards, credentials and quests</li>
          <li><a href="/account">Account</a>: manage your identities and apps</li>
          <li><a href="/settings/server-api">Server API</a>: manage your access tokens</li>
          <li><a href="/playground">Playground</a>: run an example of every query</li>
          <li><a href="/docs">Manual</a>: read or search the documentation</li>
        </ul>
        <p>The query endpoint is <code>POST /query</code>.</p>
      </article>
    </main>`,
  })

import { STATIC_PAGE_POLICY, staticPage } from './static-page.ts'
import { SECURITY_HEADERS } from './page-policy.ts'

export const MISSING_PAGE_HEADERS = {
  ...SECURITY_HEADERS,
  'content-security-policy': STATIC_PAGE_POLICY,
  'cache-control': 'no-store',
}

/** Whether a request is a browser's that goes to a page; programs take anything, or ask for JSON. */
export const isForPage = (method: string, accept = ''): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept)

/** Links to the main pages. It repeats nothing of the requested address. */
export const MISSING_PAGE = staticPage({
  title: 'Page not found',
  body: `<main id="main" class="alone">
<article>
<h1>Page not found</h1>
<p>There is no page at this address. Go to:</p>
<ul>
<li><a href="/">Playground</a>: run an example of every query</li>
<li><a href="/docs">Manual</a>: read or search the documentation</li>
<li><a href="/explore">Explore</a>: browse spaces, starboards, credentials and quests</li>
<li><a href="/account">Account</a>: manage your identities and apps</li>
<li><a href="/settings/server-api">Server API</a>: manage your access tokens</li>
</ul>
<p>The query endpoint is <code>POST /query</code>.</p>
</article>
</main>`,
})

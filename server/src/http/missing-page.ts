import { staticPage, staticPagePolicy } from './static-page.ts'
import { SECURITY_HEADERS } from './page-policy.ts'

export const MISSING_PAGE_HEADERS = {
  ...SECURITY_HEADERS,
  'content-security-policy': staticPagePolicy({ scripts: false, forms: false }),
  'cache-control': 'no-store',
}

/** Whether a request is a browser's that goes to a page; programs take anything, or ask for JSON. */
export const isForPage = (method: string, accept = ''): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept)

/** For an address that the service does not have: the ways on. It repeats nothing of the address. */
export const MISSING_PAGE = staticPage({
  title: 'Nothing here',
  body: `<main id="main" class="alone">
<article>
<h1>Nothing here</h1>
<p>There is no page at this address. These exist:</p>
<ul>
<li><a href="/">The playground</a>, with an example of every query</li>
<li><a href="/docs">The manual</a>, with a search</li>
<li><a href="/explore">Explore</a>: the spaces, starboards, credentials and quests</li>
<li><a href="/account">Your account</a>, and <a href="/settings/server-api">its access tokens</a></li>
</ul>
<p>Programs send their queries to <code>POST /query</code>.</p>
</article>
</main>`,
})

import type { Brand } from '../settings/brand.ts'
import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { SECURITY_HEADERS } from './page-policy.ts'
import { staticPage, staticPagePolicy } from './static-page.ts'

export const missingPageHeaders = (brand: Brand): Record<string, string> => ({
  ...SECURITY_HEADERS,
  'content-security-policy': staticPagePolicy(brand),
  'cache-control': 'no-store',
})

/** Whether a browser requests a page. Programs accept any type, or ask for JSON. */
export const isForPage = (method: string, accept = ''): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept)

/** A page with links to the main pages. It does not repeat the requested address. */
export function missingPage(brand: Brand, texts: PageTexts): string {
  const { missing, frame } = texts
  const { places } = missing
  const place = (path: string, name: string, about: string): Html =>
    html`<li><a href="${path}">${name}</a>${about}</li>`
  return staticPage(brand, {
    texts,
    title: missing.title,
    address: { inLanguage: (language) => `?lang=${language}` },
    body: html`<main id="main" class="alone">
      <article>
        <h1>${missing.title}</h1>
        <p>${missing.lead}</p>
        <ul>
          ${[
            place('/', missing.home, places.home),
            place('/explore', frame.explore, places.explore),
            place('/account', missing.account, places.account),
            place('/settings/server-api', missing.serverApi, places.serverApi),
            place('/playground', frame.playground, places.playground),
            place('/docs', frame.manual, places.manual),
          ]}
        </ul>
        <p>${missing.endpoint}<code>POST /query</code>.</p>
      </article>
    </main>`,
  })
}

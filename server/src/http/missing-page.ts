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

/** What a guest looked for, by the path of a public page. */
const kinds = {
  space: /^\/s\/[^/]+(?:\/quests|\/me)?$/,
  member: /^\/m\/[^/]+\/[^/]+$/,
  quest: /^\/q\/[^/]+$/,
  starboard: /^\/b\/[^/]+$/,
}
export type MissingKind = keyof typeof kinds | 'page'
export const missingKinds: readonly MissingKind[] = ['page', ...(Object.keys(kinds) as (keyof typeof kinds)[])]

/** An address below a public page that exists, such as `/s/{slug}/nope`, is only a missing page. */
export function missingKindOf(url: string): MissingKind {
  const path = url.split('?', 1)[0] ?? ''
  return missingKinds.find((kind) => kind !== 'page' && kinds[kind].test(path)) ?? 'page'
}

/** Says what was not found, with links to the main pages. It does not repeat the requested address. */
export function missingPage(brand: Brand, texts: PageTexts, kind: MissingKind): string {
  const { missing, frame } = texts
  const place = (path: string, name: string, about: string, who = ''): Html =>
    html`<li class="${who}"><a href="${path}">${name}</a>${about}</li>`
  return staticPage(brand, {
    texts,
    title: missing.titles[kind],
    address: { inLanguage: (language) => `?lang=${language}` },
    body: html`<main id="main" class="alone">
      <article>
        <h1>${missing.titles[kind]}</h1>
        <p>${missing.leads[kind]}</p>
        <ul>
          ${[
            place('/', missing.home, missing.places.home),
            place('/explore', frame.explore, missing.places.explore, 'for-members'),
            place('/sign-in?return=/explore', frame.explore, missing.places.exploreSignedIn, 'for-guests'),
            place('/my', missing.own, missing.places.own, 'for-members'),
            place('/docs', frame.manual, missing.places.manual),
          ]}
        </ul>
      </article>
    </main>`,
  })
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageStyle, stylePolicy } from '../http/static-page.ts'
import type { Brand } from '../settings/brand.ts'
import { escapeHtml, html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { withPictures } from './member-picture.ts'
import { member, type ServiceQuery } from './parts.ts'
import type { PublishedSpace } from './space-pages.queries.ts'

const STYLE = readFileSync(join(import.meta.dirname, 'embed.css'), 'utf8')

export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** The number of members on the first page of a board. */
export const MAX_ROWS = 50
export const DEFAULT_ROWS = 10

interface Row {
  rank: number
  points: number
  address: { username: string; address: string; avatar: string }
}

interface Answer {
  space: {
    loyaltyPointsRanks: {
      totalCount: number
      list: Row[]
    }
  }
}

const QUERY = `query CommunityEmbed($id: Int!, $sprintId: Int) {
  space(id: $id) {
    loyaltyPointsRanks(sprintId: $sprintId) { totalCount list { rank points address { username address avatar } } }
  }
}`

export interface EmbedView {
  space: PublishedSpace
  theme: Theme
  rows: number
  sprintId: number | undefined
  texts: PageTexts
}

/** A document for a frame, without scripts: the first places of a board. embed.js sets the height of the frame. */
export async function embedPage(
  ask: ServiceQuery,
  brand: Brand,
  site: { issuer: string },
  view: EmbedView,
): Promise<string> {
  const { space, theme, rows, sprintId, texts: t } = view
  const { space: shown } = (await ask(QUERY, { id: space.spaceId, sprintId: sprintId ?? null })) as Answer
  const { totalCount, list } = shown.loyaltyPointsRanks
  const name = escapeHtml(space.name)
  return `<!doctype html>
<html lang="${t.language}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${name}</title>
<base target="_blank">
${pageStyle(brand, STYLE)}
</head>
<body>
${header(t, space, totalCount).text}
<main>${board(t, withPictures(list.slice(0, rows), site), space).text}</main>
<footer><a href="${site.issuer}/s/${space.slug}" rel="noopener">${t.space.full}</a><span>${escapeHtml(brand.name)}</span></footer>
</body>
</html>
`
}

const header = (t: PageTexts, { name }: PublishedSpace, totalCount: number): Html =>
  html`<header>
    <h1>${name}</h1>
    <span class="quiet">${t.members(totalCount)}</span>
  </header>`

const board = (t: PageTexts, list: ReturnType<typeof withPictures<Row>>, { name, slug }: PublishedSpace): Html =>
  html`<table>
    <caption class="hidden">
      ${t.embed.caption(name)}
    </caption>
    <colgroup>
      <col class="rank" />
      <col />
      <col class="points" />
    </colgroup>
    <tbody>
      ${list.map(
        (row) =>
          html`<tr>
            <td class="rank">${t.number(row.rank)}</td>
            <th scope="row">${member(row.address, 24, slug)}</th>
            <td class="points">${t.number(row.points)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`

/** @param origins that may show the page in a frame; null allows all */
export const embedPolicy = (brand: Brand, origins: readonly string[] | null): string =>
  [
    "default-src 'none'",
    `style-src ${stylePolicy(brand, STYLE)}`,
    "font-src 'self'",
    "img-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    `frame-ancestors ${origins === null ? '*' : ["'self'", ...origins].join(' ')}`,
  ].join('; ')

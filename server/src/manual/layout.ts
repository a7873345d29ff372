import { staticPage } from '../http/static-page.ts'
import type { BookPage } from './book.ts'
import { contents, pathOf } from './contents.ts'
import { escapeHtml } from './highlight.ts'
import type { Found } from './search.ts'

/** A page of the manual as HTML: navigation, article, what is on the page, and the way on. */
export function articlePage(page: BookPage, pages: readonly BookPage[]): string {
  const at = pages.indexOf(page)
  const before = pages[at - 1]
  const after = pages[at + 1]
  const turn = (rel: string, words: string, other: BookPage | undefined) =>
    other
      ? `<a rel="${rel}" href="${other.path}"><small>${words}</small> ${escapeHtml(other.label)}</a>`
      : '<span></span>'
  return frame(
    page.title,
    page.path,
    `<article>${page.html}</article>
<nav class="turn" aria-label="Previous and next page">${turn('prev', 'Previous', before)}${turn('next', 'Next', after)}</nav>`,
    onThisPage(page),
  )
}

/** What a search found. */
export function searchPage(words: string, found: readonly Found[]): string {
  const list = found.map(
    ({ page, heading, path, text }) =>
      `<li><a href="${path}">${escapeHtml(heading)}</a> <small>${escapeHtml(page)}</small><p>${escapeHtml(text)}</p></li>`,
  )
  const none = '<p>No results. Try fewer words, or choose a page in the navigation.</p>'
  const heading = words === '' ? 'Search' : `Search: ${escapeHtml(words)}`
  const body =
    words === ''
      ? '<p>Enter a search term above.</p>'
      : list.length === 0
        ? none
        : `<ol class="found">${list.join('')}</ol>`
  return frame(`Search: ${words}`, undefined, `<article><h1>${heading}</h1>${body}</article>`, '', words)
}

/** For an address that the manual does not have. */
export function missingPage(): string {
  return frame(
    'Page not found',
    undefined,
    '<article><h1>Page not found</h1><p>Choose a page in the navigation, or search the manual.</p></article>',
  )
}

function onThisPage({ headings }: BookPage): string {
  const sections = headings.filter(({ level }) => level === 2 || level === 3)
  if (sections.length < 2) return ''
  const items = sections.map(
    ({ level, id, text }) => `<li class="level${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav class="page" aria-label="On this page"><strong>On this page</strong><ul>${items.join('')}</ul></nav>`
}

function navigation(path: string | undefined): string {
  return contents
    .map(({ title, pages }) => {
      const items = pages.map((page) => {
        const here = pathOf(page) === path ? ' aria-current="page"' : ''
        return `<li><a href="${pathOf(page)}"${here}>${escapeHtml(page.label)}</a></li>`
      })
      return `<strong>${title}</strong><ul>${items.join('')}</ul>`
    })
    .join('')
}

function frame(title: string, path: string | undefined, main: string, aside = '', words = ''): string {
  return staticPage({
    title: escapeHtml(title),
    search: `<form role="search" action="/docs/search"><input type="search" name="q" aria-label="Search the manual" placeholder="Search the manual" value="${escapeHtml(words)}" maxlength="100"><button>Search</button></form>
`,
    body: `<div class="columns">
<details class="contents" open><summary>Contents</summary><nav aria-label="Manual">${navigation(path)}</nav></details>
<main id="main">${main}</main>
${aside}
</div>
<script src="/docs/assets/manual.js" type="module"></script>`,
  })
}

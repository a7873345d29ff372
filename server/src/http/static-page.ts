import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Brand, logoPath } from '../settings/brand.ts'
import { DEFAULT_DESCRIPTION } from '../texts/en.ts'
import { escapeHtml, html, type Html } from '../text/html.ts'
import { CHOICE_LIFETIME, LANGUAGE_COOKIE, type Language, LANGUAGES, languages } from '../texts/languages.ts'
import type { PageTexts } from '../texts/page-texts.ts'

// Inline, so that these pages need no built file except the icon and the font.
const STYLE = readFileSync(join(import.meta.dirname, 'static-page.css'), 'utf8')

/** The key under which the library of the other pages stores the theme. */
const THEME_KEY = 'mantine-color-scheme-value'

/**
 * Runs before the first paint, so that nothing moves. `sessions/cookies.ts` sets the cookie of members. The theme is the one
 * that the other pages keep in this browser. A click on a language keeps the choice; a language without an address loads
 * the page again.
 */
const SCRIPT = `{const{dataset:d}=document.documentElement
d.scripts=''
if(/(^|; )(__Host-)?questboard-signed-in=1/.test(document.cookie))d.signedIn=''
try{const s=localStorage.getItem('${THEME_KEY}');if(s==='dark'||s==='light')d.theme=s}catch{}
addEventListener('click',({target:t})=>{const c=t.closest('[data-language]')
if(!c)return
document.cookie='${LANGUAGE_COOKIE}='+c.dataset.language+';path=/;samesite=lax;max-age=${CHOICE_LIFETIME}'+(location.protocol==='https:'?';secure':'')
if(!c.href)location.reload()})}`

const hashOf = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** The style of the colour that the operator has set. */
const accentStyle = ({ accent }: Brand): string =>
  accent ? `:root{--accent:light-dark(${accent.onLight},${accent.onDark});--strong:${accent.onLight}}` : ''

const stylesOf = (brand: Brand, styles: readonly string[]): string[] =>
  [STYLE, accentStyle(brand), ...styles].filter((style) => style !== '')

/** The sources of the inline styles of a page. @param styles in addition to the style of all these pages */
export const stylePolicy = (brand: Brand, ...styles: string[]): string => stylesOf(brand, styles).map(hashOf).join(' ')

export const pageStyle = (brand: Brand, ...styles: string[]): string =>
  stylesOf(brand, styles)
    .map((style) => `<style>${style}</style>`)
    .join('\n')

/** The policy of these pages, for the same look and script as `staticPage`. */
export const staticPagePolicy = (
  brand: Brand,
  { style = '', script }: Pick<StaticPage, 'style' | 'script'> = {},
): string =>
  [
    "default-src 'none'",
    `style-src ${stylePolicy(brand, style)}`,
    `script-src ${[SCRIPT, script].flatMap((text) => (text === undefined ? [] : hashOf(text))).join(' ')}`,
    ...(script === undefined ? [] : ["connect-src 'self'"]),
    "font-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

interface StaticPage {
  texts: PageTexts
  /** The title of the page; undefined for the home page, which shows only the name. */
  title?: string | undefined
  /** Default: the description of the installation. */
  description?: string
  /** The URL of the page in each language, for the choice without scripts and for search engines. */
  address?: PageAddress
  /** The picture for link previews. */
  image?: { url: string; width: number; height: number; alt: string }
  /** Inline style of this page. */
  style?: string
  /** Inline script at the end of this page, which may send requests to the service. */
  script?: string | undefined
  /** The content below the header. */
  body: Html
}

export interface PageAddress {
  /** The full address without a language; undefined for pages without previews. */
  url?: string | undefined
  /** Whether the request names the language in the URL. */
  isOfLanguage?: boolean
  /** The path to which a guest returns after the sign-in; a page that is not in the web app. */
  ownPath?: string | undefined
  /** A relative address of this page in another language. */
  inLanguage: (language: Language) => string
}

/** The description of the installation in the language of a page. */
export const descriptionIn = ({ frame }: PageTexts, { description }: Brand): string =>
  description === DEFAULT_DESCRIPTION ? frame.description : description

/** An address with the parameter `lang`. */
export const withLanguage = (address: string, language: Language): string =>
  `${address}${address.includes('?') ? '&' : '?'}lang=${language}`

/**
 * A whole document. It is the same for members and guests, so that shared caches can keep it: the script shows members
 * the elements `for-members` in place of `for-guests`.
 */
export function staticPage(
  brand: Brand,
  { texts, title, body, address, image, style, script, ...page }: StaticPage,
): string {
  const description = escapeHtml(page.description ?? descriptionIn(texts, brand))
  const name = escapeHtml(brand.name)
  const shownTitle = title === undefined ? name : escapeHtml(title)
  return `<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<script>${SCRIPT}</script>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === undefined ? name : `${shownTitle} · ${name}`}</title>
<meta property="og:title" content="${shownTitle}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${name}">
<meta property="og:description" content="${description}">
${address?.url === undefined ? '' : addressTags(address.url, texts.language, { ...address, description })}
${image === undefined ? '' : imageTags(image)}
<link rel="preload" href="/assets/inter-latin-wght-normal.woff2" as="font" type="font/woff2" crossorigin>
${pageStyle(brand, style ?? '')}
<link rel="icon" href="${logoPath(brand)}">
</head>
<body>
<a class="skip" href="#main">${texts.frame.skip}</a>
${header(brand, texts, address).text}
${body.text}
${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`
}

const imageTags = ({ url, width, height, alt }: NonNullable<StaticPage['image']>): string =>
  `<meta property="og:image" content="${escapeHtml(url)}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="${escapeHtml(alt)}">
<meta name="twitter:card" content="summary_large_image">`

function addressTags(
  url: string,
  language: Language,
  { isOfLanguage, description }: { isOfLanguage?: boolean | undefined; description: string },
): string {
  const own = escapeHtml(isOfLanguage ? withLanguage(url, language) : url)
  const alternate = (tag: string, address: string) =>
    `<link rel="alternate" hreflang="${tag}" href="${escapeHtml(address)}">`
  return [
    `<meta name="description" content="${description}">`,
    `<link rel="canonical" href="${own}">`,
    ...languages.map((other) => alternate(other, withLanguage(url, other))),
    alternate('x-default', url),
    `<meta property="og:url" content="${own}">`,
  ].join('\n')
}

const signInFor = (address: PageAddress | undefined): string =>
  address?.ownPath === undefined ? '/account' : `/sign-in?return=${encodeURIComponent(address.ownPath)}`

const header = (brand: Brand, { frame, language }: PageTexts, address: PageAddress | undefined): Html =>
  html`<header>
    <a class="home" href="/"
      ><img src="${logoPath(brand)}" alt="" width="24" height="24" /><span>${brand.name}</span></a
    >
    <nav class="places" aria-label="${frame.pages}">
      <a class="for-members" href="/explore">${frame.explore}</a><a href="/playground">${frame.playground}</a
      ><a href="/docs">${frame.manual}</a>
    </nav>
    <div class="own-places">
      <a class="account for-guests" href="${signInFor(address)}">${frame.signIn}</a>
      <a class="account for-members" href="/account">${frame.account}</a>
      ${languages.filter((other) => other !== language).map((other) => languageLink(other, address?.inLanguage(other)))}
    </div>
  </header>`

/** @param href undefined if only a script can load the page in this language */
const languageLink = (language: Language, href: string | undefined): Html =>
  href === undefined
    ? html`<button type="button" class="language" lang="${language}" data-language="${language}">
        ${LANGUAGES[language]}
      </button>`
    : html`<a
        class="language"
        rel="nofollow"
        lang="${language}"
        hreflang="${language}"
        data-language="${language}"
        href="${href}"
        >${LANGUAGES[language]}</a
      >`

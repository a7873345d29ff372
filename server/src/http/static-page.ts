import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Brand, logoPath } from '../settings/brand.ts'
import { escapeHtml, html, type Html } from '../text/html.ts'

// Inline, so that these pages need no built file except the icon and the font.
const STYLE = readFileSync(join(import.meta.dirname, 'static-page.css'), 'utf8')

/** Runs before the first paint, so that nothing moves. `sessions/cookies.ts` sets the cookie. */
const SCRIPT =
  "if(/(^|; )(__Host-)?questboard-signed-in=1/.test(document.cookie))document.documentElement.dataset.signedIn=''"

const hashOf = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** The style of the colour that the operator has set. */
const accentStyle = ({ accent }: Brand): string =>
  accent ? `:root{--accent:light-dark(${accent.onLight},${accent.onDark});--strong:${accent.onLight}}` : ''

const stylesOf = (brand: Brand, styles: readonly string[]): string[] =>
  [STYLE, accentStyle(brand), ...styles].filter((style) => style !== '')

/** The sources of the inline styles of a page. @param styles in addition to the style of all these pages */
export const stylePolicy = (brand: Brand, ...styles: string[]): string => stylesOf(brand, styles).map(hashOf).join(' ')

/** The inline styles of a page. */
export const pageStyle = (brand: Brand, ...styles: string[]): string =>
  stylesOf(brand, styles)
    .map((style) => `<style>${style}</style>`)
    .join('\n')

/** The policy of pages without scripts. @param styles further inline styles */
export const staticPagePolicy = (brand: Brand, ...styles: string[]): string =>
  [
    "default-src 'none'",
    `style-src ${stylePolicy(brand, ...styles)}`,
    "font-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The policy of pages with `knowsMembers`. */
export const memberPagePolicy = (brand: Brand, ...styles: string[]): string =>
  `${staticPagePolicy(brand, ...styles)}; script-src ${hashOf(SCRIPT)}`

interface StaticPage {
  /** The title of the page; the home page has none but the name. */
  title?: string | undefined
  /** Default: the description of the installation. */
  description?: string
  /** The full address, and the picture for link previews; for pages that people share. */
  url?: string
  image?: { url: string; width: number; height: number; alt: string }
  /** Inline style of this page; its policy is `staticPagePolicy(brand, style)`. */
  style?: string
  /** Whether a script shows members the elements `for-members` in place of `for-guests`. Its policy is `memberPagePolicy`. */
  knowsMembers?: boolean
  /** Below the header. */
  body: Html
}

/** A whole document. It is the same for members and guests, so that shared caches can keep it. */
export function staticPage(brand: Brand, { title, body, url, image, style, ...page }: StaticPage): string {
  const description = escapeHtml(page.description ?? brand.description)
  const name = escapeHtml(brand.name)
  const shownTitle = title === undefined ? name : escapeHtml(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${page.knowsMembers ? `<script>${SCRIPT}</script>` : ''}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === undefined ? name : `${shownTitle} · ${name}`}</title>
<meta property="og:title" content="${shownTitle}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${name}">
<meta property="og:description" content="${description}">
${url === undefined ? '' : `<meta name="description" content="${description}">\n<link rel="canonical" href="${url}">\n<meta property="og:url" content="${url}">`}
${image === undefined ? '' : imageTags(image)}
${pageStyle(brand, style ?? '')}
<link rel="icon" href="${logoPath(brand)}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${header(brand).text}
${body.text}
</body>
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

const header = (brand: Brand): Html =>
  html`<header>
    <a class="home" href="/"><img src="${logoPath(brand)}" alt="" width="24" height="24" />${brand.name}</a>
    <nav class="places" aria-label="Pages">
      <a href="/explore">Explore</a><a href="/playground">Playground</a><a href="/docs">Manual</a
      ><a class="account" href="/account"
        ><span class="for-guests">Sign in</span><span class="for-members">Your account</span></a
      >
    </nav>
  </header>`

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// Inline, so that these pages need no built file except the icon and the font.
const STYLE = readFileSync(join(import.meta.dirname, 'static-page.css'), 'utf8')

/** The policy of pages without scripts: a missing page, an error of a sign-in. */
export const STATIC_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "font-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface StaticPage {
  /** As HTML. */
  title: string
  /** The HTML below the header. */
  body: string
}

export function staticPage({ title, body }: StaticPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Questboard</title>
<meta property="og:title" content="${title}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Questboard">
<meta property="og:description" content="Loyalty programmes, quests and credentials of communities">
<style>${STYLE}</style>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="home" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24">Questboard</a>
<nav class="places" aria-label="Pages"><a href="/">Playground</a><a href="/docs">Manual</a><a href="/explore">Explore</a></nav>
</header>
${body}
</body>
</html>
`
}

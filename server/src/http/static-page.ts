/** Pages without the app in the browser share this frame: the manual, a missing page, an error of a sign-in. */

/** Only files of our own origin, no inline script or style, no frame around it. */
export const staticPagePolicy = (allowed: { scripts: boolean; forms: boolean }): string =>
  [
    "default-src 'none'",
    ...(allowed.scripts ? ["script-src 'self'"] : []),
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `form-action ${allowed.forms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

interface StaticPage {
  /** As HTML. */
  title: string
  /** What follows the header. */
  body: string
  /** Stands in the header, before the links. */
  search?: string
}

export function staticPage({ title, body, search = '' }: StaticPage): string {
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
<link rel="stylesheet" href="/docs/assets/manual.css">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="home" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24">Questboard</a>
${search}<nav class="places" aria-label="Pages"><a href="/">Playground</a><a href="/docs">Manual</a><a href="/explore">Explore</a></nav>
</header>
${body}
</body>
</html>
`
}

/** The placeholder in app.html for the nonce of the response. */
export const NONCE_PLACE = '{{style-nonce}}'

/**
 * Allows files of this origin. Inline styles and scripts need a source in `styles` and `scripts`; eval and frames
 * of other origins are forbidden. Images may be `data:` URLs, because installed wallets provide their icons in this form.
 */
export function pagePolicy(styles = '', scripts = ''): string {
  return [
    `default-src 'none'`,
    `script-src 'self' ${scripts}`.trimEnd(),
    `style-src 'self' ${styles}`.trimEnd(),
    `font-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `frame-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

export const SECURITY_HEADERS = {
  'content-security-policy': pagePolicy(),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Questboard</title>
<h1>The pages are not built</h1>
<p>The query service works: <code>POST /query</code>, described by <a href="/schema.graphql">/schema.graphql</a>.</p>
<p>To build the pages and the manual, run <code>npm run build</code> in the folder of the checkout, or start with <code>npm start</code>, which does it.</p>
</html>
`

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const YEAR = 365 * 24 * 60 * 60

/**
 * What a page may load and do: only files of our own origin, no inline script, no eval, no frame around it.
 * Inline styles are allowed because the editor of the playground positions its lines with them; with `connect-src`,
 * `img-src` and `font-src` closed to other origins a style cannot carry anything out.
 */
const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `worker-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `font-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export interface PagesOptions {
  /** Folder of the built pages: `web/dist`. May be missing, and may be replaced while the service runs. */
  webDist: string
}

/** Serves the pages: `GET /` (always checked again by the browser) and `/assets/*` (named by content, cached for a year). */
export async function registerPages(fastify: FastifyInstance, { webDist }: PagesOptions): Promise<void> {
  await fastify.register(async (pages) => {
    pages.addHook('onRequest', async (_request, reply) => {
      reply.headers(SECURITY_HEADERS)
    })
    await pages.register(fastifyStatic, {
      root: join(webDist, 'assets'),
      prefix: '/assets/',
      immutable: true,
      maxAge: YEAR * 1000,
      index: false,
      allowedPath: (path) => !path.endsWith('/'),
      preCompressed: true,
      suppressWarning: true,
    })
    pages.get('/', async (_request, reply) => {
      if (!(await exists(join(webDist, 'index.html'))))
        return reply.code(503).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(NOT_BUILT)
      return reply.header('cache-control', 'no-cache').sendFile('index.html', webDist, { cacheControl: false })
    })
  })
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Questboard</title>
<h1>The pages are not built</h1>
<p>The query service works: <code>POST /query</code>, described by <a href="/schema.graphql">/schema.graphql</a>.</p>
<p>To build the pages run <code>npm run build</code> in the folder of the checkout, or start with <code>npm start</code>, which does it.</p>
</html>
`

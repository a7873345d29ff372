import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Random } from '../random.ts'
import { type Brand, logoPath } from '../settings/brand.ts'
import type { Site } from '../settings/site.ts'
import { escapeHtml } from '../text/html.ts'
import { NOT_BUILT, NONCE_PLACE, pagePolicy, SECURITY_HEADERS } from './page-policy.ts'

const YEAR = 365 * 24 * 60 * 60
const DAY = 24 * 60 * 60
const NONCE_BYTES = 16
/** An SVG file that a browser opens as a document runs no script and loads no file. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
/** Files whose names do not change with their content (web/vite.config.ts). */
const STABLE_NAMES = /[/\\](icon\.svg|share\.png|inter-[^/\\]*\.woff2)$/

/** Paths of the app for people. One document serves them all; the app chooses the page by the path. */
const APP_PATHS = [
  '/sign-in',
  '/signed-in',
  '/sign-out',
  '/authorize/:id',
  '/account',
  '/account/*',
  '/my',
  '/playground',
  '/settings',
  '/settings/*',
  '/content',
  '/content/*',
  '/explore',
  '/explore/*',
  '/operator',
  '/operator-invitation',
  '/operator/*',
  '/team-invitation',
]

export interface PagesOptions {
  /** Folder of the built pages: `web/dist`. May be missing, and may be replaced while the service runs. */
  webDist: string
  random: Random
  site: Pick<Site, 'origin'>
  brand: Brand
}

/**
 * Serves the app for people at its own paths (not stored), `/assets/*` (named by content, cached for a year), and the logo
 * of the operator.
 */
export async function registerPages(
  fastify: FastifyInstance,
  { webDist, random, site, brand }: PagesOptions,
): Promise<void> {
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
      setHeaders: (reply, path) => {
        if (STABLE_NAMES.test(path)) void reply.header('cache-control', `public, max-age=${DAY}`)
      },
    })
    const { logo } = brand
    if (logo)
      pages.get('/logo', (_, reply) =>
        reply
          .headers({ 'content-security-policy': LOGO_POLICY, 'cache-control': `public, max-age=${DAY}` })
          .type(logo.type)
          .send(logo.bytes),
      )
    const sendApp = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const document = await readDocument(join(webDist, 'app.html'), request, { site, brand })
      // The nonce admits the styles that the components insert.
      const nonce = random.bytes(NONCE_BYTES).toString('base64')
      void reply.header('content-security-policy', pagePolicy(`'nonce-${nonce}'`)).header('cache-control', 'no-store')
      if (document === undefined) return sendNotBuilt(reply)
      return sendHtml(reply, document.replace(NONCE_PLACE, nonce))
    }
    for (const path of APP_PATHS) pages.get(path, sendApp)
  })
}

const sendHtml = (reply: FastifyReply, document: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(document)

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return sendHtml(reply.code(503).header('cache-control', 'no-store'), NOT_BUILT)
}

/**
 * Returns the document with its address, which link previews need in full, and the brand; undefined if the pages are not
 * built.
 */
async function readDocument(
  file: string,
  { url }: FastifyRequest,
  { site, brand }: Pick<PagesOptions, 'site' | 'brand'>,
): Promise<string | undefined> {
  const document = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const path = (url.split('?', 1)[0] ?? '').replace(/[^\w/.~%-]/g, encodeURIComponent)
  const values: Record<string, string> = {
    origin: site.origin,
    path,
    name: brand.name,
    description: brand.description,
    logo: logoPath(brand),
    accent: brand.accent?.shades.join(' ') ?? '',
  }
  return document?.replace(/\{\{(\w+)\}\}/g, (place, name: string) => {
    const value = values[name]
    return value === undefined ? place : escapeHtml(value)
  })
}

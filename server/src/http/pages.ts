import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Random } from '../random.ts'
import type { Site } from '../settings/site.ts'
import { NOT_BUILT, NONCE_PLACE, pagePolicy, SECURITY_HEADERS } from './page-policy.ts'

const YEAR = 365 * 24 * 60 * 60
const DAY = 24 * 60 * 60
const NONCE_BYTES = 16
/** Their names do not change with their content (web/vite.config.ts). */
const STABLE_NAMES = /[/\\](icon\.svg|share\.png|inter-[^/\\]*\.woff2)$/

/** Paths of the app for people. One document serves them all; the app chooses the page by the path. */
const APP_PATHS = [
  '/sign-in',
  '/authorize/:id',
  '/account',
  '/account/*',
  '/settings',
  '/settings/*',
  '/explore',
  '/explore/*',
  '/operator',
  '/operator/*',
]

export interface PagesOptions {
  /** Folder of the built pages: `web/dist`. May be missing, and may be replaced while the service runs. */
  webDist: string
  random: Random
  site: Pick<Site, 'origin'>
}

/**
 * Serves the playground at `GET /` (revalidated at each use), the app for people at its own paths (not stored), and
 * `/assets/*` (named by content, cached for a year).
 */
export async function registerPages(fastify: FastifyInstance, { webDist, random, site }: PagesOptions): Promise<void> {
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
    pages.get('/', async (request, reply) => {
      const document = await readDocument(join(webDist, 'index.html'), request, site)
      if (document === undefined) return sendNotBuilt(reply)
      const etag = `"${createHash('sha256').update(document).digest('base64url')}"`
      void reply.headers({ 'cache-control': 'no-cache', etag })
      return request.headers['if-none-match'] === etag ? reply.code(304).send() : sendDocument(reply, document)
    })
    const sendApp = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const document = await readDocument(join(webDist, 'app.html'), request, site)
      // The nonce admits the styles that the components insert.
      const nonce = random.bytes(NONCE_BYTES).toString('base64')
      void reply.header('content-security-policy', pagePolicy(`'nonce-${nonce}'`)).header('cache-control', 'no-store')
      if (document === undefined) return sendNotBuilt(reply)
      return sendDocument(reply, document.replace(NONCE_PLACE, nonce))
    }
    for (const path of APP_PATHS) pages.get(path, sendApp)
  })
}

const sendDocument = (reply: FastifyReply, document: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(document)

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return sendDocument(reply.code(503).header('cache-control', 'no-store'), NOT_BUILT)
}

/** Returns the document with its address, which link previews need in full; undefined if the pages are not built. */
async function readDocument(
  file: string,
  { url }: FastifyRequest,
  { origin }: Pick<Site, 'origin'>,
): Promise<string | undefined> {
  const document = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const path = (url.split('?', 1)[0] ?? '').replace(/[^\w/.~%-]/g, encodeURIComponent)
  return document?.replaceAll('{{origin}}', origin).replaceAll('{{path}}', () => path)
}

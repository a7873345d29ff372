import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Random } from '../random.ts'
import { NOT_BUILT, NONCE_PLACE, pagePolicy, SECURITY_HEADERS } from './page-policy.ts'

const YEAR = 365 * 24 * 60 * 60
const DAY = 24 * 60 * 60
const NONCE_BYTES = 16
/** Their names do not change with their content (web/vite.config.ts). */
const STABLE_NAMES = /[/\\](icon\.svg|inter-[^/\\]*\.woff2)$/

/** Addresses that the app in the browser answers: one document, which finds its page by the address. */
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
}

/**
 * Serves the pages: the playground at `GET /` (always checked again by the browser), the app for people at its own
 * addresses (never stored), and `/assets/*` (named by content, cached for a year).
 */
export async function registerPages(fastify: FastifyInstance, { webDist, random }: PagesOptions): Promise<void> {
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
    pages.get('/', async (_request, reply) => {
      if (!(await exists(join(webDist, 'index.html')))) return sendNotBuilt(reply)
      return reply.header('cache-control', 'no-cache').sendFile('index.html', webDist, { cacheControl: false })
    })
    for (const path of APP_PATHS) pages.get(path, async (_request, reply) => sendApp(reply, webDist, random))
  })
}

/** The app with a nonce of its own for the styles that its components write. */
async function sendApp(reply: FastifyReply, webDist: string, random: Random): Promise<FastifyReply> {
  const nonce = random.bytes(NONCE_BYTES).toString('base64')
  void reply.header('content-security-policy', pagePolicy(`'nonce-${nonce}'`)).header('cache-control', 'no-store')
  const document = await readDocument(join(webDist, 'app.html'))
  if (document === undefined) return sendNotBuilt(reply)
  return reply.type('text/html; charset=utf-8').send(document.replace(NONCE_PLACE, nonce))
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply.code(503).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(NOT_BUILT)
}

async function readDocument(file: string): Promise<string | undefined> {
  return (await exists(file)) ? readFile(file, 'utf8') : undefined
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

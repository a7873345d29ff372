import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { registerPages } from '../../src/http/pages.ts'
import { systemRandom } from '../../src/random.ts'

let webDist: string
let fastify: FastifyInstance

beforeEach(async () => {
  webDist = await mkdtemp(join(tmpdir(), 'questboard pages '))
  fastify = Fastify({ logger: false })
  await registerPages(fastify, {
    webDist,
    random: systemRandom,
    site: { origin: 'https://quests.example' },
    brand: loadConfig({}).brand,
  })
})

afterEach(async () => {
  await fastify.close()
  await rm(webDist, { recursive: true })
})

async function build(): Promise<void> {
  await mkdir(join(webDist, 'assets'))
  await writeFile(
    join(webDist, 'app.html'),
    '<!doctype html><title>Questboard</title><meta property="csp-nonce" nonce="{{style-nonce}}"><meta property="og:url" content="{{origin}}{{path}}">',
  )
  await writeFile(join(webDist, '.fingerprint'), 'internal')
  await writeFile(join(webDist, 'assets', 'app-4f2a.js'), 'export {}')
}

const get = (url: string, headers: Record<string, string> = {}) => fastify.inject({ method: 'GET', url, headers })

describe('the pages', () => {
  test('serves the playground as HTML to every client', async () => {
    await build()
    const answer = await get('/playground', { accept: '*/*' })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.body).toContain('<title>Questboard</title>')
  })

  test.each([
    '/playground',
    '/sign-in',
    '/authorize/anything',
    '/account',
    '/account/sessions',
    '/settings/server-api',
  ])('serves the app at %s, uncached, with a new nonce for its styles and no other inline style', async (url) => {
    await build()
    const nonces = new Set<string | undefined>()
    for (const answer of [await get(url), await get(url)]) {
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['cache-control']).toBe('no-store')
      const nonce = /nonce="([^"]+)"/.exec(answer.body)?.[1]
      const policy = String(answer.headers['content-security-policy'])
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}';`)
      expect(policy).not.toContain('unsafe')
      nonces.add(nonce)
    }
    expect(nonces.size).toBe(2)
  })

  test.each([
    ['/playground', 'https://quests.example/playground'],
    ['/explore/space/40?tab=quests', 'https://quests.example/explore/space/40'],
    ['/explore/%22%3E%3Cscript%3E', 'https://quests.example/explore/%22%3E%3Cscript%3E'],
    ['/explore/"><b>', 'https://quests.example/explore/%22%3E%3Cb%3E'],
    ['/explore/$&{{origin}}', 'https://quests.example/explore/%24%26%7B%7Borigin%7D%7D'],
  ])('includes the full URL of %s for link previews', async (path, address) => {
    await build()
    expect((await get(path)).body).toContain(`content="${address}"`)
  })

  test('caches files with a content hash for a year', async () => {
    await build()
    const answer = await get('/assets/app-4f2a.js')
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(answer.headers['content-type']).toContain('javascript')
  })

  test('serves the compressed copy to clients that accept it', async () => {
    await build()
    await writeFile(join(webDist, 'assets', 'app-4f2a.js.br'), 'compressed')
    const answer = await get('/assets/app-4f2a.js', { 'accept-encoding': 'gzip, br' })
    expect(answer.headers['content-encoding']).toBe('br')
    expect(answer.body).toBe('compressed')
    expect((await get('/assets/app-4f2a.js')).body).toBe('export {}')
  })

  test.each([
    '/playground',
    '/sign-in',
    '/authorize/x',
    '/settings/server-api',
    '/assets/app-4f2a.js',
    '/assets/missing.js',
  ])('sends the security headers with %s', async (url) => {
    await build()
    const { headers } = await get(url)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain(`default-src 'none'`)
    expect(policy).toContain(`script-src 'self';`)
    expect(policy).toContain(`frame-ancestors 'none'`)
    expect(policy).not.toContain('unsafe-eval')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['x-frame-options']).toBe('DENY')
  })

  test.each([
    '/assets/../app.html',
    '/assets/%2e%2e/.fingerprint',
    '/assets/',
    '/assets/.fingerprint',
    '/.fingerprint',
  ])('responds with not found to %s', async (url) => {
    await build()
    expect((await get(url)).statusCode).toBe(404)
  })

  test('explains how to build missing pages, and serves them after the build', async () => {
    const answer = await get('/playground')
    expect(answer.statusCode).toBe(503)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toContain('npm run build')
    await build()
    expect((await get('/playground')).statusCode).toBe(200)
  })

  test('does not add the headers of the pages to other routes', async () => {
    fastify.get('/healthz', () => 'ok')
    expect((await get('/healthz')).headers['content-security-policy']).toBeUndefined()
  })
})

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtManual } from '../../../manual/test/build.ts'
import { registerManual } from '../../src/manual/routes.ts'

const PUBLIC_URL = 'https://quests.example.org'

async function serve(folder: string): Promise<FastifyInstance> {
  const fastify = Fastify()
  await registerManual(fastify, { publicUrl: PUBLIC_URL, port: 4000 }, folder)
  return fastify
}

describe('the built manual', () => {
  let fastify: FastifyInstance
  beforeAll(async () => {
    fastify = await serve(builtManual())
  })
  afterAll(() => fastify.close())

  it.each(['/docs', '/docs/', '/docs/quick-start', '/docs/guides/leaderboard', '/docs/typescript-client'])(
    'serves %s with a policy for exactly its inline scripts',
    async (path) => {
      const { statusCode, headers, body } = await fastify.inject(path)
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      const inline = [...body.matchAll(/<script(?![^>]* src=)[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) => text)
      const hashes = inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      expect(hashes.length).toBeGreaterThan(0)
      expect(headers['content-security-policy']).toContain(
        `default-src 'none'; script-src 'self' ${hashes.join(' ')}; style-src 'self'; `,
      )
      expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' })
    },
  )

  it('uses the address of the installation in the URLs of all files', async () => {
    const { body } = await fastify.inject('/docs/quick-start')
    expect(body).toContain(`${PUBLIC_URL}/query`)
    expect(body).toContain(`<meta property="og:url" content="${PUBLIC_URL}/docs/quick-start">`)
    const scripts = [...body.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+\.js)"/g)].map(([, url = '']) => url)
    const page = scripts.find((url) => url.includes('/quick-start.md.')) ?? ''
    expect((await fastify.inject(page.replace('.lean.js', '.js'))).body).toContain(`${PUBLIC_URL}/query`)
    for (const path of ['/docs/quick-start', ...scripts])
      expect((await fastify.inject(path)).body).not.toContain('localhost:4000')
  })

  it('lets browsers cache files with a hash in their names, and revalidate the others', async () => {
    const { body, headers } = await fastify.inject('/docs')
    expect(headers['cache-control']).toBe('no-cache')
    const [, style = ''] = /href="(\/docs\/assets\/style\.[^"]+\.css)"/.exec(body) ?? []
    expect((await fastify.inject(style)).headers['cache-control']).toMatch(/max-age=31536000, immutable$/)
    const again = await fastify.inject({ url: '/docs', headers: { 'if-none-match': String(headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it.each([
    ['gzip, br', true],
    ['br;q=1, gzip;q=0.5', true],
    ['gzip;q=0', false],
    ['identity', false],
  ])('compresses for accept-encoding: %s: %s', async (encoding, compressed) => {
    const { headers, rawPayload } = await fastify.inject({ url: '/docs', headers: { 'accept-encoding': encoding } })
    expect(headers['content-encoding']).toBe(compressed ? 'gzip' : undefined)
    expect((compressed ? gunzipSync(rawPayload) : rawPayload).toString()).toContain('<h1 id="questboards-manual"')
  })

  it.each([
    ['/docs/README.md', '/docs'],
    ['/docs/quick-start.md', '/docs/quick-start'],
    ['/docs/guides/leaderboard.md', '/docs/guides/leaderboard'],
    ['/docs/quick-start/', '/docs/quick-start'],
    ['/docs/search?q=token', '/docs'],
  ])('redirects %s to %s', async (old, path) => {
    const { statusCode, headers } = await fastify.inject(old)
    expect([statusCode, headers.location]).toEqual([308, path])
  })

  it.each([
    '/docs/nothing',
    '/docs/assets',
    '/docs/.fingerprint',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/%0d%0aset-cookie:a.md',
    '/docs//example.org/',
  ])('has no page %s', async (path) => {
    expect((await fastify.inject(path)).statusCode).toBe(404)
  })
})

describe('a folder that changes', () => {
  let folder: string
  let fastify: FastifyInstance
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'questboard manual '))
    fastify = await serve(folder)
  })
  afterAll(async () => {
    await fastify.close()
    rmSync(folder, { recursive: true })
  })

  it('returns 503 until the manual is built, then the pages, then their new content', async () => {
    expect((await fastify.inject('/docs')).statusCode).toBe(503)
    writeFileSync(join(folder, 'index.html'), 'first')
    expect((await fastify.inject('/docs')).body).toBe('first')
    writeFileSync(join(folder, 'index.html'), 'second')
    utimesSync(join(folder, 'index.html'), 1, 1)
    expect((await fastify.inject('/docs')).body).toBe('second')
  })
})

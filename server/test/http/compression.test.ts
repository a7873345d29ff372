import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { MIN_COMPRESSED_BYTES, preferredEncoding } from '../../src/http/compression.ts'
import { startWorld } from '../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const PAGE = '{ list { rank points address { username address avatar } } }'
const LARGE = `{ space(id: 40) { loyaltyPointsRanks(first: 130) ${PAGE} } }`
const SMALL = `{ space(id: 40) { loyaltyPointsRanks(first: 40) ${PAGE} } }`

/** Sends the headers as they are, and decodes nothing. */
function ask(query: string, acceptEncoding?: string): Promise<{ encoding?: string; vary?: string; body: Buffer }> {
  const headers = {
    'content-type': 'application/json',
    'access-token': world.personas.business,
    ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${world.url}/query`, { method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        expect(response.headers['content-length']).toBe(String(body.length))
        const { 'content-encoding': encoding, vary } = response.headers
        resolve({ body, ...(encoding && { encoding }), ...(vary && { vary }) })
      })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ query }))
  })
}

test('compresses a large response, new or cached, as the client accepts it', async () => {
  const plain = await ask(LARGE)
  expect(plain.encoding).toBeUndefined()
  expect(plain.body.length).toBeGreaterThan(MIN_COMPRESSED_BYTES)
  for (let time = 0; time < 4; time++) {
    const [brotli, zipped] = [await ask(LARGE, 'gzip, deflate, br'), await ask(LARGE, 'gzip')]
    expect([brotli.encoding, brotli.vary, zipped.encoding]).toEqual(['br', 'accept-encoding', 'gzip'])
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true)
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
    expect(brotli.body.length * 2).toBeLessThan(plain.body.length)
  }
})

test('does not compress a small response', async () => {
  const { encoding, body } = await ask(SMALL, 'gzip, br')
  expect([encoding, body.length < MIN_COMPRESSED_BYTES]).toEqual([undefined, true])
})

test.each([
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br, gzip', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['gzip;q=x', undefined],
  ['zstd, *;q=0.1, br;q=0', 'gzip'],
])('chooses for Accept-Encoding %j the encoding %s', (accepted, encoding) => {
  expect(preferredEncoding(accepted)).toBe(encoding)
})

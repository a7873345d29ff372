import { afterAll, expect, test } from 'vitest'
import { startWorld } from '../../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const { fastify } = world.app
const FILE = '/assets/share.png'
const get = (url: string, range: string) => fastify.inject({ url, headers: { range } })

test('sends the part of a file that a Range names', async () => {
  const { statusCode, headers, rawPayload } = await get(FILE, 'bytes=1-3')
  expect([statusCode, rawPayload.toString()]).toEqual([206, 'PNG'])
  expect(headers['content-range']).toMatch(/^bytes 1-3\/\d+$/)
})

test.each(['bytes=99999999-', 'bytes=3-1'])('refuses the Range %s of a file with its size', async (range) => {
  const size = (await fastify.inject(FILE)).rawPayload.length
  const { statusCode, headers, body } = await get(FILE, range)
  expect([statusCode, headers['content-range']]).toEqual([416, `bytes */${size}`])
  expect(body).toContain('The header Range names no part of this file')
})

test('ignores a Range in another unit than bytes', async () => {
  expect((await get(FILE, 'lines=1-2')).statusCode).toBe(200)
})

test.each(['/docs', '/schema.graphql'])('sends %s as a whole for every Range', async (url) => {
  const { statusCode, headers } = await get(url, 'bytes=99999999-')
  expect([statusCode, headers['content-range'], headers['accept-ranges']]).toEqual([200, undefined, undefined])
})

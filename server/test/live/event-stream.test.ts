import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LIVE_STALLED, LIVE_STREAM_LIFETIME } from '../../src/lifetimes.ts'
import { type EventStream, eventText, openEventStream } from '../../src/live/event-stream.ts'
import { testClock } from '../support/clock.ts'
import { ended, untilTheTestEnds } from '../support/connections.ts'

const { listening, connected } = untilTheTestEnds()
const clock = testClock()
const EVENT = eventText('changes', 7, 'x'.repeat(100_000))

/** A stream whose client has read nothing yet. */
async function opened(onReadAgain = () => {}) {
  const { promise, resolve } = Promise.withResolvers<[EventStream, ServerResponse]>()
  const server = createServer((_, response) => {
    const options = { clock, headers: { 'x-request-id': '1' }, reconnectAfter: 1_000, onReadAgain }
    resolve([openEventStream(response, { first: 1, member: undefined }, options), response])
  })
  const url = await listening(server)
  const socket = await connected(url)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [stream, response] = await promise
  return { stream, response, socket }
}

test('keeps little for a client that reads nothing, and calls it back when it reads again', async () => {
  let readAgain = 0
  const { stream, response, socket } = await opened(() => readAgain++)
  // The system accepts some megabytes before it stops the stream.
  for (let full = 0; full < 50; full = response.writableLength > 0 ? full + 1 : 0) {
    stream.send(EVENT)
    await nextTurn()
  }
  const before = readAgain
  for (let sent = 0; sent < 1_000; sent++) stream.send(EVENT)
  await nextTurn()
  expect(response.writableLength).toBeLessThan(2 * EVENT.length)
  expect(readAgain).toBe(before)
  socket.resume()
  await expect.poll(() => readAgain).toBe(before + 1)
})

test('closes the connection of a client that reads nothing for too long', async () => {
  const { stream, socket } = await opened()
  stream.send(EVENT.repeat(100))
  clock.advance(LIVE_STALLED - 1_000)
  stream.beat()
  expect(socket.closed).toBe(false)
  clock.advance(2_000)
  stream.beat()
  socket.resume()
  await ended(socket)
})

test('sends the head and comments while nothing happens, and ends after its lifetime', async () => {
  const { stream, socket } = await opened()
  stream.beat()
  socket.resume()
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  await once(socket, 'data')
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*content-type: text\/event-stream; charset=utf-8/i)
  await expect.poll(() => text).toContain('retry: 1000\n\n')
  clock.advance(LIVE_STREAM_LIFETIME + 1)
  stream.beat()
  await ended(socket)
  expect(text).toMatch(/\n:\n\n$/)
})

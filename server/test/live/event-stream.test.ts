import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { LIVE_STALLED, LIVE_STREAM_LIFETIME } from '../../src/lifetimes.ts'
import { type EventStream, eventText, openEventStream } from '../../src/live/event-stream.ts'
import { testClock } from '../support/clock.ts'
import { ended, untilTheTestEnds } from '../support/connections.ts'

const { listening, connected } = untilTheTestEnds()
const clock = testClock()
const EVENT = eventText('changes', 7, 'x'.repeat(100_000))

/** A stream whose client has read nothing yet. */
async function opened(onReadAgain = () => {}, onRequest: (socket: Socket) => void = () => {}) {
  const { promise, resolve } = Promise.withResolvers<[EventStream, Socket, WeakRef<IncomingMessage>]>()
  let [closes, stalls] = [0, 0]
  const server = createServer().once('request', (request: IncomingMessage, response: ServerResponse) => {
    onRequest(request.socket)
    const options = { clock, headers: { 'x-request-id': '1' }, reconnectAfter: 1_000 }
    const listener = { onReadAgain, onStalled: () => void stalls++, onDetach: () => {}, onClose: () => void closes++ }
    const stream = openEventStream(response, { first: 1, member: undefined }, options, listener)
    resolve([stream, request.socket, new WeakRef(request)])
  })
  const url = await listening(server)
  const socket = await connected(url)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [stream, serverSocket, request] = await promise
  return { stream, serverSocket, request, socket, closes: () => closes, stalls: () => stalls }
}

test('keeps little for a client that reads nothing, and calls it back when it reads again', async () => {
  let readAgain = 0
  const { stream, serverSocket, socket } = await opened(() => readAgain++)
  // The system accepts some megabytes before it stops the stream.
  for (let full = 0; full < 50; full = serverSocket.writableLength > 0 ? full + 1 : 0) {
    stream.send(EVENT)
    await nextTurn()
  }
  const before = readAgain
  for (let sent = 0; sent < 1_000; sent++) stream.send(EVENT)
  await nextTurn()
  expect(serverSocket.writableLength).toBeLessThan(2 * EVENT.length)
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

/** A stream that has ended. Its client has not read the rest, which is too small for Node to ask the stream to wait. */
async function endedUnread() {
  const all = await opened()
  const { stream, serverSocket } = all
  const small = eventText('changes', 7, 'x'.repeat(10_000))
  for (let full = 0; full < 50; full = serverSocket.writableLength > 0 ? full + 1 : 0) {
    if (serverSocket.writableLength === 0) stream.send(small)
    await nextTurn()
  }
  stream.end()
  return all
}

test('closes the connection of a client that does not read the rest of a stream that has ended', async () => {
  const { stream, serverSocket, closes, stalls } = await endedUnread()
  clock.advance(LIVE_STALLED - 1_000)
  stream.beat()
  expect(serverSocket.destroyed).toBe(false)
  clock.advance(2_000)
  stream.beat()
  await expect.poll(closes).toBe(1)
  // It was not closed because of this client.
  expect(stalls()).toBe(0)
})

test('closes the connection at once if a stream that has ended is ended again', async () => {
  const { stream, serverSocket, closes } = await endedUnread()
  expect(serverSocket.destroyed).toBe(false)
  stream.end()
  await expect.poll(closes).toBe(1)
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

test('ends when the client leaves, also if it closes only its own side', async () => {
  for (const leave of ['destroy', 'end', 'resetAndDestroy'] as const) {
    const { stream, socket, closes } = await opened()
    stream.beat()
    socket.resume()
    await once(socket, 'data')
    socket[leave]()
    await expect.poll(closes).toBe(1)
    expect(stream.isOver).toBe(true)
    stream.send('x')
    stream.beat()
    stream.end()
    expect(closes()).toBe(1)
  }
})

test('reports once a client that leaves before the first event, and sends nothing', async () => {
  const { stream, socket, closes } = await opened()
  socket.destroy()
  await expect.poll(closes).toBe(1)
  stream.send('x')
  stream.end()
  expect([stream.isOver, closes()]).toEqual([true, 1])
})

test('ignores what the client sends after its request', async () => {
  const { stream, socket, serverSocket } = await opened()
  stream.beat()
  socket.resume()
  await once(socket, 'data')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(1_000) + '\0'.repeat(1_000_000))
  await expect.poll(() => serverSocket.bytesRead).toBeGreaterThan(1_000_000)
  stream.send(eventText('changes', 8, '{}'))
  expect(String((await once(socket, 'data'))[0])).toContain('id: 8')
})

test('streams through the HTTP server if Node has another parser', async () => {
  const parsers: { close?: unknown }[] = []
  const { stream, socket, serverSocket, closes } = await opened(undefined, (server) => {
    const { parser } = server as Socket & { parser: { close?: unknown } }
    parsers.push(Object.assign(parser, { close: undefined }))
  })
  try {
    stream.beat()
    stream.send(eventText('changes', 8, '{}'))
    socket.resume()
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk)))
    await expect.poll(() => text).toContain('id: 8')
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*retry: 1000\n\n:\n\nid: 8/)
    expect((serverSocket as Socket & { parser?: unknown }).parser).toBe(parsers[0])
    // Requests of the client get no response between the events.
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    stream.send(eventText('changes', 9, '{}'))
    await expect.poll(() => text).toContain('id: 9')
    expect(text.match(/HTTP/g)).toHaveLength(1)
    stream.end()
    await ended(socket)
    await expect.poll(closes).toBe(1)
    expect(stream.isOver).toBe(true)
  } finally {
    // Node uses parsers again.
    for (const parser of parsers) delete parser.close
  }
})

test('keeps no request for an open stream', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // The engine can still hold the last request of a function, so one of several is enough: a kept request is never collected.
  const all = await Promise.all(Array.from({ length: 5 }, () => opened()))
  for (const { stream } of all) stream.beat()
  await expect
    .poll(() => {
      collect()
      return all.some(({ request }) => request.deref() === undefined)
    })
    .toBe(true)
  expect(all.map(({ stream }) => stream.isOver)).not.toContain(true)
})

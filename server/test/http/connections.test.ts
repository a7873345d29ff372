import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { guardConnections } from '../../src/http/connections.ts'
import { systemClock } from '../../src/clock.ts'
import { unsentResponses } from '../../src/http/unsent-responses.ts'
import { ended, untilTheTestEnds } from '../support/connections.ts'

const PATIENCE = { interval: 10 }
const { listening, connected } = untilTheTestEnds()
const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

/** A listener that accepts at most `most` connections. */
function guarded(max: number, answer: RequestListener): Promise<string> {
  return listening(guardConnections({ max }).createServer(answer))
}

test('serves requests during a flood of silent connections', async () => {
  const url = await guarded(50, (_, response) => response.end('here'))
  const old = await connected(url)
  old.write(REQUEST)
  await once(old, 'data')
  const silent = await Promise.all(Array.from({ length: 120 }, () => connected(url)))
  expect(await (await fetch(url)).text()).toBe('here')
  old.write(REQUEST)
  await once(old, 'data')
  for (const socket of silent) socket.resume()
  await expect
    .poll(() => silent.filter((socket) => socket.closed || socket.readableEnded).length, PATIENCE)
    .toBeGreaterThan(60)
})

test('does not count a connection that was released', async () => {
  const max = 16
  const guarded = guardConnections({ max })
  const url = await listening(
    guarded.createServer((request, response) => {
      if (request.url !== '/stream') return void response.end('here')
      guarded.release(request.socket)
      response.write('open')
    }),
  )
  const sockets: Socket[] = []
  for (let number = 0; number <= max; number++) {
    const socket = await connected(url)
    socket.write('GET /stream HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(socket, 'data')
    sockets.push(socket)
  }
  expect(await (await fetch(url)).text()).toBe('here')
  expect(sockets.filter(({ closed }) => closed)).toEqual([])
})

test('closes only the connection that has been idle longest when all connections were active', async () => {
  const late: ServerResponse[] = []
  const url = await guarded(20, ({ url }, response) =>
    url === '/late' ? void late.push(response) : response.end('here'),
  )
  const asks = async (socket: Socket) => {
    socket.write(REQUEST)
    await once(socket, 'data')
  }
  const sockets: Socket[] = []
  for (let number = 0; number < 20; number++) {
    const socket = await connected(url)
    await asks(socket)
    sockets.push(socket)
  }
  // The first sends another request; the second waits for a response that does not come.
  const [first, second] = sockets as [Socket, Socket]
  await asks(first)
  second.write('GET / HTTP/1.1\r\nhost: a\r\n\r\nGET /late HTTP/1.1\r\nhost: a\r\n\r\n')
  await expect.poll(() => late.length, PATIENCE).toBe(1)
  const answers = await Promise.all([fetch(url), fetch(url)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await Promise.all(sockets.slice(2, 4).map(ended))
  expect(sockets.flatMap((socket, place) => (socket.closed ? [place] : []))).toEqual([2, 3])
  const answer = once(second, 'data')
  late[0]?.end('late')
  expect(String(await answer)).toMatch(/late$/)
})

test('queues pipelined requests and closes a connection that sends too many', async () => {
  const open: ServerResponse[] = []
  let begun = 0
  const url = await guarded(20, (_, response) => {
    begun++
    open.push(response)
  })
  const [patient, flood] = await Promise.all([connected(url), connected(url)])
  let text = ''
  patient.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  patient.write(REQUEST.repeat(3))
  for (const number of [1, 2, 3]) {
    await expect.poll(() => open.length, PATIENCE).toBe(1)
    expect(begun).toBe(number)
    open.pop()?.end(`answer ${number}`)
  }
  await expect.poll(() => text, PATIENCE).toMatch(/answer 1[^]*answer 2[^]*answer 3$/)
  flood.resume().write(REQUEST.repeat(40))
  await ended(flood)
  expect(begun).toBe(4)
  patient.write(REQUEST)
  await expect.poll(() => begun, PATIENCE).toBe(5)
})

test('closes connections that do not read responses, the oldest first at the memory limit', async () => {
  const answer = Buffer.alloc(16 * 1024 * 1024)
  const serving = (limits: Parameters<typeof unsentResponses>[1]) => {
    const unsent = unsentResponses(systemClock, limits)
    return { unsent, server: guardConnections({ unsent }).createServer((_, response) => response.end(answer)) }
  }
  const limited = serving({ timeout: 200 })
  const url = await listening(limited.server)
  const slow = await connected(url)
  slow.pause().write(REQUEST)
  await expect.poll(() => [limited.unsent.givenUp, limited.unsent.bytes], PATIENCE).toEqual([1, 0])
  const full = serving({ max: answer.length })
  const elsewhere = await listening(full.server)
  expect((await (await fetch(elsewhere)).arrayBuffer()).byteLength).toBe(answer.length)
  const [first, second] = await Promise.all([connected(elsewhere), connected(elsewhere)])
  first.pause().write(REQUEST)
  await expect.poll(() => full.unsent.bytes, PATIENCE).toBeGreaterThan(0)
  second.pause().write(REQUEST)
  await expect.poll(() => full.unsent.givenUp, PATIENCE).toBe(1)
  first.resume()
  await ended(first)
  let taken = 0
  second.on('data', (piece: Buffer) => (taken += piece.length)).resume()
  await expect.poll(() => taken, PATIENCE).toBeGreaterThan(answer.length)
  expect([full.unsent.bytes, full.unsent.givenUp]).toEqual([0, 1])
})

import { once } from 'node:events'
import { createServer, type RequestListener, type ServerOptions } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { cannotListen, requireFreePort } from '../../src/process/cannot-listen.ts'
import { type MonotonicClock, systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config.ts'
import { type Address, findAddress, openListeners } from '../../src/http/listeners.ts'

const AT = { host: '127.0.0.1', port: 0 }
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0)) await end()
})

type Accept = Parameters<typeof openListeners>[0]

/** A program in its own thread, which connects while this thread is at work. It reports the different outcomes. */
const CONNECT_OFTEN = `
  const { connect } = require('node:net')
  const { parentPort, workerData } = require('node:worker_threads')
  const outcomes = new Set()
  const again = () => {
    const socket = connect(workerData)
    socket.on('connect', () => outcomes.add('connected'))
    socket.on('error', ({ code }) => outcomes.add(code))
    socket.on('close', again)
    socket.resume()
  }
  for (let n = 0; n < 8; n++) again()
  parentPort.on('message', () => parentPort.postMessage(outcomes))
  parentPort.postMessage('started')`

/** Listens like an instance that starts. */
async function listenAt(accept: Accept, at: Address = AT, clock: MonotonicClock = systemClock) {
  const address = await findAddress(at)
  const listeners = await openListeners(accept, address, clock)
  cleanUp.push(listeners.close)
  return { address, ...listeners }
}

/** An HTTP server behind these sockets. */
async function serviceAt(listener: RequestListener, options: ServerOptions = {}) {
  const server = createServer(options, listener)
  server.emit('listening')
  cleanUp.push(() => server.closeAllConnections())
  const listeners = await listenAt((socket) => server.emit('connection', socket))
  return { server, listeners, url: `http://${AT.host}:${listeners.address.port}` }
}

const nobody = (socket: Socket): void => void socket.destroy()
const ONCE = { headers: { connection: 'close' } }
const says = async (url: string): Promise<string> => (await fetch(url, ONCE)).text()

// Other systems have one socket, because they do not spread connections over sockets of one port.
describe.runIf(process.platform === 'linux')('on systems that share ports', () => {
  test('accepts many simultaneous connections within few turns of the event loop', async () => {
    const many = 200
    let [turns, first, last, accepted] = [0, 0, 0, 0]
    const everybody = Promise.withResolvers<void>()
    const { address } = await listenAt((socket) => {
      first ||= turns
      last = turns
      socket.destroy()
      if (++accepted === many) everybody.resolve()
    })
    let counting = true
    const turn = (): void => {
      turns++
      if (counting) setImmediate(turn)
    }
    // The system completes a handshake with itself at once, so all connections wait before the next turn.
    for (let n = 0; n < many; n++) connect(address.port, address.host).on('error', () => {})
    setImmediate(turn)
    await everybody.promise
    counting = false
    expect(last - first).toBeLessThan(many / 4)
  })

  test('shares connections between the listeners of a port until they are closed', async () => {
    const came = { here: 0, there: 0 }
    const accept = (where: keyof typeof came) => (socket: Socket) => {
      came[where]++
      socket.destroy()
    }
    const { address } = await listenAt(accept('here'))
    const others = await openListeners(accept('there'), address, systemClock)
    const come = async (): Promise<void> => {
      const sockets = Array.from({ length: 100 }, () => connect(address.port, address.host).on('error', () => {}))
      await Promise.all(sockets.map((socket) => once(socket, 'close')))
    }
    await come()
    // By chance alone, one of them gets ten or fewer once in 10^15 runs.
    expect(came.here).toBeGreaterThan(10)
    expect(came.there).toBeGreaterThan(10)
    await others.close()
    const before = came.there
    await come()
    expect(came).toEqual({ here: 200 - before, there: before })
  })

  test('accepts pending connections before a socket closes, without resets', async () => {
    const answer = (socket: Socket) => void socket.resume().end('in')
    const waited: Promise<unknown>[] = []
    const late: Promise<unknown>[] = []
    const come = (at: Address, heard: Promise<unknown>[]): void => {
      const socket = connect({ ...at, allowHalfOpen: true })
      socket.end('a request')
      const refused = (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? 'in' : error.code)
      heard.push(text(socket).catch(refused as (error: unknown) => unknown))
    }
    for (let round = 0; round < 5; round++) {
      const { address, close } = await listenAt(answer)
      for (let n = 0; n < 40; n++) come(address, waited)
      const coming = setInterval(come, 1, address, late)
      // These connections are open, but the process has not accepted them yet.
      await new Promise((connected) => process.nextTick(connected))
      await close()
      clearInterval(coming)
    }
    expect(new Set(await Promise.all(waited))).toEqual(new Set(['in']))
    // Microseconds remain between the look at a socket and its end (docs/decisions/0028).
    for (const outcome of await Promise.all(late)) expect(['in', 'ECONNRESET']).toContain(outcome)
  })

  test('resets no connection while turns of the event loop are long for more than a second', async () => {
    let now = 0
    const accept = (socket: Socket) => void socket.resume().end('in')
    const { address, close } = await listenAt(accept, AT, { monotonic: () => now })
    const outcomes: Promise<unknown>[] = []
    const turn = (): void => {
      now += 5
      const socket = connect({ ...address, allowHalfOpen: true })
      socket.end('a request')
      outcomes.push(text(socket).catch(({ code }: NodeJS.ErrnoException) => code))
      if (now < 1_500) setImmediate(turn)
    }
    turn()
    await close()
    expect(now).toBe(1_500)
    expect(outcomes).toHaveLength(300)
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['in']))
  })

  test('accepts no connection while it looks whether the port is free', async () => {
    // The address of a service that has ended, to which a proxy still connects.
    const { address, close } = await listenAt(nobody)
    await close()
    const proxy = new Worker(CONNECT_OFTEN, { eval: true, workerData: address })
    await once(proxy, 'message')
    for (let n = 0; n < 200; n++) expect(await findAddress(address)).toEqual(address)
    proxy.postMessage('report')
    const [outcomes] = (await once(proxy, 'message')) as [unknown]
    await proxy.terminate()
    expect(outcomes).toEqual(new Set(['ECONNREFUSED']))
  })

  test('allows the same port at different addresses, but not next to a wildcard address', async () => {
    // Nothing else uses this address, so no connection can take the port.
    const { port } = (await listenAt(nobody, { host: '127.0.0.77', port: 0 })).address
    const other = await listenAt(nobody, { host: '127.0.0.78', port })
    expect(other.address).toEqual({ host: '127.0.0.78', port })
    await expect(findAddress({ host: '0.0.0.0', port })).rejects.toThrow('EADDRINUSE')
  })
})

test('serves connections on every socket until the listeners close', async () => {
  const { url, listeners } = await serviceAt((_, response) => response.end('in'))
  const answers = await Promise.all(Array.from({ length: 100 }, () => says(url)))
  expect(new Set(answers)).toEqual(new Set(['in']))
  await listeners.close()
  await expect(says(url)).rejects.toThrow('fetch failed')
})

test('reports the end of all connections after the last response', async () => {
  const begun: (() => void)[] = []
  const { url, listeners } = await serviceAt((_, response) => begun.push(() => response.end('late')))
  const asking = Array.from({ length: 20 }, () => says(url))
  await expect.poll(() => begun.length).toBe(20)
  await listeners.close()
  let ended = false
  const ending = listeners.ended.then(() => (ended = true))
  for (const answer of begun.splice(1)) answer()
  await Promise.all(asking.slice(1).map((answer) => Promise.race([answer, asking[0]])))
  expect(ended).toBe(false)
  begun[0]?.()
  await ending
  expect(await Promise.all(asking)).toEqual(Array<string>(20).fill('late'))
})

test('applies the header timeout and the idle limit to accepted connections', async () => {
  const { server, listeners } = await serviceAt((_, response) => response.end('in'), {
    headersTimeout: 100,
    connectionsCheckingInterval: 20,
  })
  const { port, host } = listeners.address
  const slow = connect(port, host)
  slow.write('GET / HTTP/1.1\r\nhost:')
  const [told] = (await once(slow, 'data')) as [Buffer]
  expect(String(told)).toContain('408 Request Timeout')
  await once(slow, 'close')

  const idle = connect(port, host)
  idle.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(idle, 'data')
  server.closeIdleConnections()
  await once(idle, 'close')
})

test('does not share a port that another service or program uses', async () => {
  const { address } = await listenAt(nobody)
  await expect(findAddress(address)).rejects.toThrow('EADDRINUSE')
  const other = createTcpServer().listen(0, AT.host)
  cleanUp.push(() => other.close())
  await once(other, 'listening')
  const taken = { ...AT, port: (other.address() as AddressInfo).port }
  await expect(findAddress(taken)).rejects.toThrow('EADDRINUSE')
  await expect(openListeners(nobody, taken, systemClock)).rejects.toThrow('EADDRINUSE')
})

test('resolves a host name to one address for all sockets', async () => {
  const server = createServer((_, response) => response.end('in'))
  const { address } = await listenAt((socket) => server.emit('connection', socket), { host: 'localhost', port: 0 })
  const answers = await Promise.all(Array.from({ length: 20 }, () => says(`http://localhost:${address.port}`)))
  expect(new Set(answers)).toEqual(new Set(['in']))
})

test.each([
  ['192.0.2.1', /^this machine does not have the address in HOST \(.*EADDRNOTAVAIL.*\)\. Set it to /],
  ['no..name', /^the name in HOST cannot be resolved \(getaddrinfo .*\)\. Set it to .*0\.0\.0\.0 for all of them\.$/],
])('reports a problem with HOST, not with the database, when it cannot listen at %s', async (host, says) => {
  const config = loadConfig({ HOST: host })
  const error: unknown = await findAddress({ ...AT, host }).catch((met: unknown) => met)
  const said = (await cannotListen(error, { config })) as Error
  expect(said.message).toMatch(says)
  await expect(requireFreePort(config)).rejects.toThrow(says)
  expect(await cannotListen(new Error('of something else'), { config })).toEqual(new Error('of something else'))
})

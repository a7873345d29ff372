import { once } from 'node:events'
import { createServer, type RequestListener, type ServerOptions } from 'node:http'
import { connect, createServer as createDoor, type Server as Door, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { cannotListen } from '../../src/cannot-listen.ts'
import { loadConfig } from '../../src/config.ts'
import { type Doors, joinDoors, openDoors, openHatch } from '../../src/http/doors.ts'

const AT = { host: '127.0.0.1', port: 0 }
const cleanUp: (() => unknown)[] = []
afterEach(() => {
  for (const end of cleanUp.splice(0)) end()
})

async function opened(opening: Promise<Doors>): Promise<Doors> {
  const doors = await opening
  cleanUp.push(doors.close)
  return doors
}

/** A server behind doors, as a service is. */
async function serviceAt(listener: RequestListener, options: ServerOptions = {}) {
  const server = createServer(options, listener)
  cleanUp.push(() => server.closeAllConnections())
  const hatch = openHatch(server)
  const doors = await opened(openDoors(hatch.take, AT))
  return { server, hatch, doors, url: `http://${AT.host}:${doors.at.port}` }
}

const ONCE = { headers: { connection: 'close' } }
const says = async (url: string): Promise<string> => (await fetch(url, ONCE)).text()

// Elsewhere there is one door: no other system spreads connections over sockets that share a port.
describe.runIf(process.platform === 'linux')('where the system shares ports', () => {
  test('a crowd at the door is let in within few turns of a busy loop', async () => {
    const crowd = 200
    let [turns, first, last, inside] = [0, 0, 0, 0]
    const everybody = Promise.withResolvers<void>()
    const { at } = await opened(
      openDoors((socket: Socket) => {
        first ||= turns
        last = turns
        socket.destroy()
        if (++inside === crowd) everybody.resolve()
      }, AT),
    )
    let counting = true
    const turn = (): void => {
      turns++
      // As long as answers take: meanwhile the system lets everybody come up to the door.
      const until = performance.now() + 5
      while (performance.now() < until);
      if (counting) setImmediate(turn)
    }
    turn()
    for (let n = 0; n < crowd; n++) connect(at.port, at.host).on('error', () => {})
    await everybody.promise
    counting = false
    expect(last - first).toBeLessThan(crowd / 4)
  })

  test('doors that join others take a part of those who come, until they are closed', async () => {
    const came = { here: 0, there: 0 }
    const take = (where: keyof typeof came) => (socket: Socket) => {
      came[where]++
      socket.destroy()
    }
    const { at } = await opened(openDoors(take('here'), AT, 8))
    const others = await opened(joinDoors(take('there'), at, 8))
    const come = async (): Promise<void> => {
      const sockets = Array.from({ length: 100 }, () => connect(at.port, at.host).on('error', () => {}))
      await Promise.all(sockets.map((socket) => once(socket, 'close')))
    }
    await come()
    // By chance alone one in 10^15 such crowds would miss either with ten.
    expect(came.here).toBeGreaterThan(10)
    expect(came.there).toBeGreaterThan(10)
    others.close()
    const before = came.there
    await come()
    expect(came).toEqual({ here: 200 - before, there: before })
  })
})

test('whoever comes through any door is answered, and after closing nobody is', async () => {
  const { url, doors } = await serviceAt((_, response) => response.end('in'))
  const answers = await Promise.all(Array.from({ length: 100 }, () => says(url)))
  expect(new Set(answers)).toEqual(new Set(['in']))
  doors.close()
  await expect(says(url)).rejects.toThrow('fetch failed')
})

test('a hatch is empty when the last answer under way has been given', async () => {
  const begun: (() => void)[] = []
  const { url, doors, hatch } = await serviceAt((_, response) => begun.push(() => response.end('late')))
  const asking = Array.from({ length: 20 }, () => says(url))
  await expect.poll(() => begun.length).toBe(20)
  doors.close()
  let empty = false
  const emptied = hatch.emptied().then(() => (empty = true))
  for (const answer of begun.splice(1)) answer()
  await Promise.all(asking.slice(1).map((answer) => Promise.race([answer, asking[0]])))
  expect(empty).toBe(false)
  begun[0]?.()
  await emptied
  expect(await Promise.all(asking)).toEqual(Array<string>(20).fill('late'))
})

test('behind a hatch the limits of the server hold: a head that does not come, connections that are idle', async () => {
  const { server, doors } = await serviceAt((_, response) => response.end('in'), {
    headersTimeout: 100,
    connectionsCheckingInterval: 20,
  })
  const { port, host } = doors.at
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

test('a port that somebody has is not shared, neither with another service nor with another program', async () => {
  const nobody = (socket: Socket): void => void socket.destroy()
  const { at } = await opened(openDoors(nobody, AT))
  await expect(openDoors(nobody, at)).rejects.toThrow('EADDRINUSE')
  const other: Door = createDoor().listen(0, AT.host)
  cleanUp.push(() => other.close())
  await once(other, 'listening')
  const taken = { ...AT, port: (other.address() as AddressInfo).port }
  await expect(openDoors(nobody, taken)).rejects.toThrow('EADDRINUSE')
  await expect(joinDoors(nobody, taken)).rejects.toThrow('EADDRINUSE')
})

test('a name stands for one address, the same at every door', async () => {
  const server = createServer((_, response) => response.end('in'))
  const { at } = await opened(openDoors(openHatch(server).take, { host: 'localhost', port: 0 }))
  const answers = Array.from({ length: 20 }, () => says(`http://localhost:${at.port}`))
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['in']))
})

test.each([
  ['192.0.2.1', /^this machine does not have the address that HOST names \(.*EADDRNOTAVAIL.*\)\. Set it to /],
  [
    'no..name',
    /^no address is known for the name in HOST \(getaddrinfo .*\)\. Set it to .*0\.0\.0\.0 for all of them\.$/,
  ],
])('a service that cannot listen at %s says what is wrong with HOST, and not with the database', async (host, says) => {
  const config = loadConfig({ HOST: host })
  const error: unknown = await openDoors(() => {}, { ...AT, host }).catch((met: unknown) => met)
  // Only a port that is taken is looked up in the database.
  const said = (await cannotListen(error, { config, database: undefined as never })) as Error
  expect(said.message).toMatch(says)
  expect(await cannotListen(new Error('of something else'), { config, database: undefined as never })).toEqual(
    new Error('of something else'),
  )
})

import { once } from 'node:events'
import { type AddressInfo, createServer, isIP, type ListenOptions, type Server, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { SECOND } from '../clock.ts'
import { withPortLock } from './port-lock.ts'

/** Connections that may wait to be accepted at each socket: as many as Linux allows unless it was told otherwise. */
const BACKLOG = 4_096

/** Linux alone, of the systems we run on, spreads new connections over the sockets that share a port (SO_REUSEPORT). */
export const SHARES_PORTS = process.platform === 'linux'

/**
 * A turn of the event loop accepts one connection from a listening socket. A busy turn is milliseconds long: behind one
 * socket, new connections would wait for seconds while many ask.
 */
const SOCKETS = 64

/** A turn that is over so soon has hardly left time for somebody to come unseen; milliseconds. */
const SHORT_TURN = 0.5
/** When they come without a pause for so long, or the process is so busy, the sockets are closed all the same. */
const MOST_COMING = SECOND

export interface Address {
  port: number
  host: string
}

/** Listening sockets of one port: a new connection comes to one of them, and none knows of the others. */
export interface Listeners {
  readonly address: Address
  /** Accepts who waits, and nothing new; what was accepted goes on. */
  close: () => Promise<void>
}

/** Takes a connection of which nothing has been read. */
export type Accept = (socket: Socket) => void

/**
 * Accepts connections, several in a turn where the system allows it.
 * @param at port 0: any that is free
 * @throws what keeps it from the address, such as EADDRINUSE
 */
export async function openListeners(accept: Accept, at: Address, count = SOCKETS): Promise<Listeners> {
  if (!SHARES_PORTS) {
    const only = await listen(accept, at)
    return { address: { ...at, port: (only.server.address() as AddressInfo).port }, close: () => closeEmpty([only]) }
  }
  const port = at.port === 0 ? (await tryAddress(accept, at)).port : at.port
  return withPortLock(port, async () => {
    const { address } = await tryAddress(accept, { ...at, port })
    return joinListeners(accept, { port, host: isIP(at.host) ? at.host : address }, count)
  })
}

/** Shares the port of listeners that are open, in this process or another, where the system allows it. */
export async function joinListeners(accept: Accept, address: Address, count = SOCKETS): Promise<Listeners> {
  const listeners: Listener[] = []
  const close = (): Promise<void> => closeEmpty(listeners)
  try {
    while (listeners.length < count) listeners.push(await listen(accept, { ...address, reusePort: true }))
    return { address, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Those who share a port are not told of each other: only who does not share it learns that another service has it. */
async function tryAddress(accept: Accept, at: Address): Promise<AddressInfo> {
  const listener = await listen(accept, at)
  const address = listener.server.address() as AddressInfo
  await closeEmpty([listener])
  return address
}

interface Listener {
  server: Server
  /** How many have come. */
  accepted: number
}

/**
 * Linux resets the connections that wait at a socket which is closed. So each is closed right after a turn of the event
 * loop that brought it nobody: what is left are the moments in which that turn looked at the others.
 */
async function closeEmpty(listeners: readonly Listener[]): Promise<void> {
  const latest = performance.now() + MOST_COMING
  await turn() // what is left of this one asks the system nothing
  for (const listener of listeners) {
    for (let [empty, now] = [false, performance.now()]; !empty && now < latest;) {
      const [accepted, since] = [listener.accepted, now]
      await turn()
      now = performance.now()
      empty = listener.accepted === accepted && now - since < SHORT_TURN
    }
    listener.server.close()
  }
}

async function listen(accept: Accept, at: ListenOptions): Promise<Listener> {
  // As a server of HTTP does it, but that nothing is read before it is known which process reads.
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
    listener.accepted++
    accept(socket)
  })
  const listener = { server, accepted: 0 }
  server.listen({ ...at, backlog: BACKLOG })
  await once(server, 'listening')
  return listener
}

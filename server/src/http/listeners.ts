import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, isIP, type ListenOptions, type Server, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { type MonotonicClock, SECOND } from '../clock.ts'

/** Connections that may wait to be accepted at each socket. Linux lowers it to `net.core.somaxconn`. */
const BACKLOG = 4_096

/** Only Linux distributes new connections over sockets that share a port (SO_REUSEPORT). */
const SHARES_PORTS = process.platform === 'linux'

/**
 * A turn of the event loop accepts one connection from a listening socket. At full load a turn takes milliseconds, so
 * new connections would wait for seconds behind a single socket.
 */
const SOCKETS = SHARES_PORTS ? 64 : 1

/** Milliseconds. During a shorter turn of the event loop, it is unlikely that a new connection arrives. */
const SHORT_TURN = 0.5
/**
 * After this time, the sockets are closed even if connections still arrive; Linux then resets the waiting ones. On a busy
 * machine, it can take more than a second until 64 turns were short.
 */
const CLOSE_TIMEOUT = 5 * SECOND

export interface Address {
  port: number
  host: string
}

/** Called with each new connection, before any data is read from it. */
type Accept = (socket: Socket) => void

/** The listening sockets of one process; all share one port. */
export interface Listeners {
  /** Accepts the waiting connections, and then no more. Accepted connections stay open. */
  close: () => Promise<void>
  /** Resolves when the sockets are closed and the last accepted connection has ended. */
  ended: Promise<unknown>
}

/**
 * Checks that the address is free. Sockets that share a port do not notice each other, so a second service is detected
 * only by a socket that does not share the port.
 * @param at with port 0, the system chooses a free port
 * @returns the IP address and the port to listen at
 * @throws the error of the system, such as EADDRINUSE
 */
export async function findAddress(at: Address): Promise<Address> {
  if (SHARES_PORTS && at.port !== 0) return bind(at)
  // With `exclusive`, a worker binds the port itself, not through the first process.
  const { server, closed } = await listen(() => {}, { ...at, exclusive: true })
  const { address, port } = server.address() as AddressInfo
  server.close()
  await closed
  return { port, host: isIP(at.host) ? at.host : address }
}

const LOOPBACKS: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Binds the address without listening: a proxy that connects is refused and tries another instance. If the socket
 * listened, Linux would reset its waiting connections when it closes. `node:net` can bind without listening only when it
 * opens a connection, so the socket connects to itself.
 */
async function bind({ host, port }: Address): Promise<Address> {
  const { address, family } = await lookup(host)
  const socket = connect({ host: LOOPBACKS[address] ?? address, port, family, localAddress: address, localPort: port })
  try {
    await once(socket, 'connect')
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    // All other errors concern the connection. The socket is bound then.
    if (syscall === 'bind' || code === 'EADDRINUSE') throw error
  } finally {
    // After an orderly end of the connection, Linux would reserve the address for a minute.
    socket.resetAndDestroy()
  }
  if (!socket.closed) await once(socket, 'close')
  return { host: address, port }
}

/** Shares the port with other listeners, in this process or in other workers. */
export async function openListeners(
  accept: Accept,
  { port, host }: Address,
  clock: MonotonicClock,
): Promise<Listeners> {
  const listeners: Listener[] = []
  const close = (): Promise<void> => closeWhileIdle(listeners, clock)
  try {
    while (listeners.length < SOCKETS) listeners.push(await listen(accept, { port, host, reusePort: SHARES_PORTS }))
  } catch (error) {
    await close()
    throw error
  }
  return { close, ended: Promise.all(listeners.map(({ closed }) => closed)) }
}

interface Listener {
  server: Server
  accepted: number
  closed: Promise<unknown>
}

/**
 * Linux resets the connections that wait at a socket when it is closed. So each socket is closed right after a short
 * turn of the event loop in which it accepted no connection.
 */
async function closeWhileIdle(listeners: readonly Listener[], clock: MonotonicClock): Promise<void> {
  const latest = clock.monotonic() + CLOSE_TIMEOUT
  await turn() // the current turn has possibly accepted its connections already
  for (const listener of listeners) {
    for (let [idle, now] = [false, clock.monotonic()]; !idle && now < latest;) {
      const [accepted, since] = [listener.accepted, now]
      await turn()
      now = clock.monotonic()
      idle = listener.accepted === accepted && now - since < SHORT_TURN
    }
    listener.server.close()
  }
}

async function listen(accept: Accept, at: ListenOptions): Promise<Listener> {
  // The options that node:http uses for its own sockets.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    listener.accepted++
    accept(socket)
  })
  const listener = { server, accepted: 0, closed: new Promise((resolve) => server.once('close', resolve)) }
  server.listen({ ...at, backlog: BACKLOG })
  await once(server, 'listening')
  return listener
}

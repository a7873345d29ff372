import { once } from 'node:events'
import { type AddressInfo, createServer, isIP, type ListenOptions, type Server, type Socket } from 'node:net'
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

export interface Address {
  port: number
  host: string
}

/** Listening sockets of one port: a new connection comes to one of them, and none knows of the others. */
export interface Listeners {
  readonly address: Address
  /** Accepts nothing new; what was accepted goes on. */
  close: () => void
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
    const listener = await listen(accept, at)
    return { address: { ...at, port: (listener.address() as AddressInfo).port }, close: () => void listener.close() }
  }
  const port = at.port === 0 ? (await tryAddress(at)).port : at.port
  return withPortLock(port, async () => {
    const { address } = await tryAddress({ ...at, port })
    return joinListeners(accept, { port, host: isIP(at.host) ? at.host : address }, count)
  })
}

/** Shares the port of listeners that are open, in this process or another, where the system allows it. */
export async function joinListeners(accept: Accept, address: Address, count = SOCKETS): Promise<Listeners> {
  const listeners: Server[] = []
  const close = (): void => {
    for (const listener of listeners) listener.close()
  }
  try {
    while (listeners.length < count) listeners.push(await listen(accept, { ...address, reusePort: true }))
    return { address, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Those who share a port are not told of each other: only who does not share it learns that another service has it. */
async function tryAddress(at: Address): Promise<AddressInfo> {
  const listener = await listen((socket) => socket.destroy(), at)
  const address = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return address
}

async function listen(accept: Accept, at: ListenOptions): Promise<Server> {
  // As a server of HTTP does it, but that nothing is read before it is known which process reads.
  const listener = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, accept)
  listener.listen({ ...at, backlog: BACKLOG })
  await once(listener, 'listening')
  return listener
}

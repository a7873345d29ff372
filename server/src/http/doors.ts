import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, isIP, type ListenOptions, type Server as Door, type Socket } from 'node:net'

/** Connections that may wait to be taken at each door: as many as Linux allows unless it was told otherwise. */
const BACKLOG = 4_096

/** The only system of those we run on that spreads new connections over the sockets that share a port. */
export const SHARES_PORTS = process.platform === 'linux'

/**
 * A turn of the event loop takes one connection from a listening socket. A busy turn is milliseconds long: behind one
 * socket, whoever comes anew while many ask would wait for seconds.
 */
const DOORS = 64

export interface Address {
  port: number
  host: string
}

/** Listening sockets of one port: whoever comes to the port comes to one of them, and none knows of the others. */
export interface Doors {
  readonly at: Address
  /** Takes nothing new; what was taken goes on. */
  close: () => void
}

/** Takes a connection of which nothing has been read. */
export type Take = (socket: Socket) => void

/**
 * Takes connections, several in a turn where the system allows it.
 * @param at port 0: any that is free
 * @throws what keeps it from the address, such as EADDRINUSE
 */
export async function openDoors(take: Take, at: Address, count = DOORS): Promise<Doors> {
  if (!SHARES_PORTS) {
    const door = await openDoor(take, at)
    return { at: { ...at, port: (door.address() as AddressInfo).port }, close: () => void door.close() }
  }
  const { port, address } = await tryOut(at)
  return joinDoors(take, { port, host: isIP(at.host) ? at.host : address }, count)
}

/** Shares the port of doors that are open, in this process or another, where the system allows it. */
export async function joinDoors(take: Take, at: Address, count = DOORS): Promise<Doors> {
  const doors: Door[] = []
  const close = (): void => {
    for (const door of doors) door.close()
  }
  try {
    while (doors.length < count) doors.push(await openDoor(take, { ...at, reusePort: true }))
    return { at, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Those who share a port are not told of each other: only who does not share it learns that another service has it. */
async function tryOut(at: Address): Promise<AddressInfo> {
  const door = await openDoor((socket) => socket.destroy(), at)
  const address = door.address() as AddressInfo
  door.close()
  await once(door, 'close')
  return address
}

async function openDoor(take: Take, at: ListenOptions): Promise<Door> {
  // As a server of HTTP does it, but that nothing is read before it is known who does.
  const door = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, take)
  door.listen({ ...at, backlog: BACKLOG })
  await once(door, 'listening')
  return door
}

/** The way in for connections that were taken at doors, of the server's own process or another. */
export interface Hatch {
  take: Take
  /** @returns when the last connection has ended */
  emptied: () => Promise<void>
}

/** For a server that does not listen itself. */
export function openHatch(server: Server): Hatch {
  let inside = 0
  let empty: PromiseWithResolvers<void> | undefined
  // Node keeps account of connections, and so of their time limits, from this event on.
  server.emit('listening')
  return {
    take(socket) {
      inside++
      socket.once('close', () => {
        if (--inside === 0) empty?.resolve()
      })
      // Servers of HTTP have it so, and it is not handed from process to process.
      socket.allowHalfOpen = true
      server.emit('connection', socket)
      socket.resume()
    },
    emptied() {
      empty ??= Promise.withResolvers()
      if (inside === 0) empty.resolve()
      return empty.promise
    },
  }
}

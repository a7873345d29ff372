import type { Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import { CONNECTION_SILENCE, HEAD_TIMEOUT, IDLE_CONNECTION, REQUEST_TIMEOUT } from '../lifetimes.ts'
import { Line, type Standing } from './line.ts'

/** How patient the listener is with those who send slowly; a proxy in front is slower to let go than we are to wait. */
export const LISTENER: ServerOptions = {
  headersTimeout: HEAD_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  keepAliveTimeout: IDLE_CONNECTION,
  // Without it the two limits above are looked at every half minute only.
  connectionsCheckingInterval: SECOND,
  // Node would answer without a body.
  requireHostHeader: false,
}

/** Connections of one process; operators' file limits are larger (docs/deploy.md). */
export const MOST_CONNECTIONS = 8_000

/** Those that never asked anything may be so many of all before they make room for each other; a flood goes no further. */
const UNHEARD_SHARE = 1 / 8

/** An open connection; in the line of those that never asked, or of those that wait for their next request, or asking. */
interface Connection extends Standing {
  readonly socket: Socket
  /** Requests under way: the next can be sent before the last is answered. */
  asking: number
  /** Of the one that came last, while any is under way. */
  latest: ServerResponse | undefined
  line: Line<Connection> | undefined
}

/** What a connection still waits to be answered. */
export type UnderWay = Readonly<Pick<Connection, 'asking' | 'latest'>>

const NOTHING: UnderWay = { asking: 0, latest: undefined }

/**
 * Keeps a place for who has something to say: beyond `most` connections the one goes that has been silent the longest,
 * of those that wait for their next request, or, when they are more than their share, of those that never asked. A
 * request under way is not cut off: when there is nothing else, the newcomer goes.
 * @returns what of a connection is under way
 */
export function guardConnections(server: Server, most = MOST_CONNECTIONS): (socket: Socket) => UnderWay {
  const open = new Map<Socket, Connection>()
  // Each in the order in which they fell silent.
  const unheard = new Line<Connection>()
  const idle = new Line<Connection>()
  const move = (connection: Connection, to: Line<Connection> | undefined): void => {
    connection.line?.remove(connection)
    connection.line = to
    to?.add(connection)
  }
  const forget = (socket: Socket): void => {
    const connection = open.get(socket)
    if (connection) move(connection, undefined)
    open.delete(socket)
  }
  server.setTimeout(CONNECTION_SILENCE)
  server.on('connection', (socket: Socket) => {
    const newcomer: Connection = {
      socket,
      asking: 0,
      latest: undefined,
      line: undefined,
      before: undefined,
      behind: undefined,
    }
    open.set(socket, newcomer)
    move(newcomer, unheard)
    socket.once('close', () => forget(socket))
    if (open.size <= most) return
    const crowded = unheard.size > most * UNHEARD_SHARE
    const longest = (crowded ? unheard.first : (idle.first ?? unheard.first))?.socket ?? socket
    longest.destroy()
    forget(longest)
  })
  server.on('request', ({ socket }, response) => {
    const connection = open.get(socket)
    if (!connection) return
    if (connection.asking++ === 0) move(connection, undefined)
    connection.latest = response
    response.on('close', answered)
  })

  function answered(this: ServerResponse): void {
    const connection = open.get(this.req.socket)
    if (!connection || --connection.asking > 0) return
    connection.latest = undefined
    move(connection, idle)
  }
  return (socket) => open.get(socket) ?? NOTHING
}

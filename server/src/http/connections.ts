import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import { CONNECTION_SILENCE, HEAD_TIMEOUT, IDLE_CONNECTION, REQUEST_TIMEOUT } from '../lifetimes.ts'
import { Line, type Standing } from './line.ts'
import type { UnsentAnswers } from './unsent-answers.ts'

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

/** The share of connections without any request above which they replace each other, which limits a flood. */
const UNHEARD_SHARE = 1 / 8

/** Requests that a connection, and all of them, may send ahead of the answers to those before; then it is closed. */
export const MOST_AHEAD = 32
export const MOST_AHEAD_IN_ALL = 512

/** An open connection; in the line of those that never asked, or of those that wait for their next request, or asking. */
interface Connection extends Standing {
  readonly socket: Socket
  /** What is under way. */
  current: ServerResponse | undefined
  /** Requests that were sent before its answer was there; each waits until the answer before it is taken. */
  readonly ahead: { request: IncomingMessage; response: ServerResponse }[]
  line: Line<Connection> | undefined
}

/** What a connection still waits to be answered. */
export interface UnderWay {
  asking: number
  /** The response to the latest request. */
  latest: ServerResponse | undefined
}

export interface GuardedConnections {
  /** For one server. */
  createServer(answer: RequestListener): Server
  /** Lets each answer that is under way say that its connection ends. */
  lastAnswers: () => void
  underWay: (socket: Socket) => UnderWay
}

/**
 * Limits the connections to `most`. Above it, closes the connection that has been idle longest: of those that wait for
 * their next request, or, above their share, of those that never sent one. An active request is not interrupted: if all
 * connections are active, the new one is closed. Each connection has at most one request at work.
 */
export function guardConnections({
  most = MOST_CONNECTIONS,
  unsent,
}: { most?: number; unsent?: UnsentAnswers } = {}): GuardedConnections {
  const open = new Map<Socket, Connection>()
  let aheadInAll = 0
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
    if (!connection) return
    move(connection, undefined)
    aheadInAll -= connection.ahead.splice(0).length
    open.delete(socket)
  }
  function connect(socket: Socket): void {
    const newcomer: Connection = {
      ...{ socket, current: undefined, ahead: [] },
      ...{ line: undefined, before: undefined, behind: undefined },
    }
    open.set(socket, newcomer)
    move(newcomer, unheard)
    socket.once('close', () => forget(socket))
    if (open.size <= most) return
    const crowded = unheard.size > most * UNHEARD_SHARE
    const longest = (crowded ? unheard.first : (idle.first ?? unheard.first))?.socket ?? socket
    longest.destroy()
    forget(longest)
  }

  function wait(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.ahead.push({ request, response })
    aheadInAll++
    if (connection.ahead.length > MOST_AHEAD) end(connection)
    else if (aheadInAll > MOST_AHEAD_IN_ALL) end(furthestAhead())
  }

  function end({ socket }: Connection): void {
    socket.destroy()
    forget(socket)
  }

  const furthestAhead = (): Connection =>
    [...open.values()].reduce((most, other) => (other.ahead.length > most.ahead.length ? other : most))

  return {
    createServer(answer) {
      const server = createServer({ ...LISTENER, ...(unsent && { ServerResponse: unsent.Answer }) })
      server.setTimeout(CONNECTION_SILENCE)
      server.on('connection', connect)
      server.on('request', (request, response) => {
        const connection = open.get(request.socket)
        // Requests of a connection that has closed are dropped.
        if (!connection) return
        response.on('close', answered)
        if (connection.current) return wait(connection, request, response)
        move(connection, undefined)
        connection.current = response
        answer(request, response)
      })

      function answered(this: ServerResponse): void {
        const connection = open.get(this.req.socket)
        if (!connection) return
        const next = connection.ahead.shift()
        connection.current = next?.response
        if (!next) return move(connection, idle)
        aheadInAll--
        // After a response with `connection: close`, no other response follows.
        if (connection.socket.writable) answer(next.request, next.response)
      }

      return server
    },
    lastAnswers() {
      for (const { current } of open.values()) if (current && !current.headersSent) current.shouldKeepAlive = false
    },
    underWay(socket) {
      const { current, ahead = [] } = open.get(socket) ?? {}
      return { asking: (current ? 1 : 0) + ahead.length, latest: ahead.at(-1)?.response ?? current }
    },
  }
}

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
import { CONNECTION_TIMEOUT, HEAD_TIMEOUT, IDLE_CONNECTION, REQUEST_TIMEOUT } from '../lifetimes.ts'
import { LinkedQueue, type LinkedItem } from './linked-queue.ts'
import type { UnsentResponses } from './unsent-responses.ts'

/** Timeouts for slow and idle clients. */
export const LISTENER: ServerOptions = {
  headersTimeout: HEAD_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  keepAliveTimeout: IDLE_CONNECTION,
  // By default, Node checks the timeouts only every 30 seconds.
  connectionsCheckingInterval: SECOND,
  // Otherwise Node responds without a body.
  requireHostHeader: false,
}

/** Connections of one process; the file limit must be higher (docs/deploy.md). */
export const MAX_CONNECTIONS = 8_000

/** The share of connections without any request above which they replace each other, which limits a flood. */
const UNHEARD_SHARE = 1 / 8

/**
 * Pipelined requests of one connection, and of all. Above a limit, the connection with most pipelined requests is
 * closed.
 */
export const MAX_PIPELINED = 32
export const MAX_PIPELINED_TOTAL = 512

/** An open connection. It is in the list `unheard`, in the list `idle`, or has a current request. */
interface Connection extends LinkedItem {
  readonly socket: Socket
  /** The response of the running request. */
  current: ServerResponse | undefined
  /** Pipelined requests, which wait for the response before them. */
  readonly pipelined: { request: IncomingMessage; response: ServerResponse }[]
  queue: LinkedQueue<Connection> | undefined
}

/** The requests of a connection without a complete response. */
export interface UnderWay {
  count: number
  /** The response to the latest request. */
  latest: ServerResponse | undefined
}

export interface GuardedConnections {
  /** Creates a server with the shared limits. */
  createServer(answer: RequestListener): Server
  /** Adds `connection: close` to all running responses. */
  lastAnswers: () => void
  underWay: (socket: Socket) => UnderWay
  /** The connection does not count any more, because its response has another limit. It gets no further request. */
  release: (socket: Socket) => void
}

/**
 * Limits the connections to `max`. Above it, closes the connection that has been idle longest since its last request.
 * If more than UNHEARD_SHARE of the connections never sent a request, or none is idle, closes the oldest of those: the
 * new one, if all others are active. A running request is not interrupted. A connection runs one request at a time.
 */
export function guardConnections({
  max = MAX_CONNECTIONS,
  unsent,
}: { max?: number; unsent?: UnsentResponses } = {}): GuardedConnections {
  const open = new Map<Socket, Connection>()
  let pipelinedTotal = 0
  // Both lists are ordered by the time at which their connections became idle.
  const unheard = new LinkedQueue<Connection>()
  const idle = new LinkedQueue<Connection>()
  const move = (connection: Connection, to: LinkedQueue<Connection> | undefined): void => {
    connection.queue?.remove(connection)
    connection.queue = to
    to?.add(connection)
  }
  const forget = (socket: Socket): void => {
    const connection = open.get(socket)
    if (!connection) return
    move(connection, undefined)
    pipelinedTotal -= connection.pipelined.splice(0).length
    open.delete(socket)
  }
  function connect(socket: Socket): void {
    const newcomer: Connection = {
      ...{ socket, current: undefined, pipelined: [] },
      ...{ queue: undefined, before: undefined, behind: undefined },
    }
    open.set(socket, newcomer)
    move(newcomer, unheard)
    socket.once('close', () => forget(socket))
    if (open.size <= max) return
    const aboveShare = unheard.size > max * UNHEARD_SHARE
    const idlest = (aboveShare ? unheard.first : (idle.first ?? unheard.first))?.socket ?? socket
    idlest.destroy()
    forget(idlest)
  }

  function wait(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.pipelined.push({ request, response })
    pipelinedTotal++
    if (connection.pipelined.length > MAX_PIPELINED) end(connection)
    else if (pipelinedTotal > MAX_PIPELINED_TOTAL) end(findMostPipelined())
  }

  function end({ socket }: Connection): void {
    socket.destroy()
    forget(socket)
  }

  const findMostPipelined = (): Connection =>
    [...open.values()].reduce((most, other) => (other.pipelined.length > most.pipelined.length ? other : most))

  return {
    createServer(answer) {
      const server = createServer({ ...LISTENER, ...(unsent && { ServerResponse: unsent.Answer }) })
      server.setTimeout(CONNECTION_TIMEOUT)
      server.on('connection', connect)
      // Node would respond without a body, and without the headers of other responses.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response))
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
        const next = connection.pipelined.shift()
        connection.current = next?.response
        if (!next) return move(connection, idle)
        pipelinedTotal--
        // After a response with `connection: close`, no other response follows.
        if (connection.socket.writable) answer(next.request, next.response)
      }

      return server
    },
    lastAnswers() {
      for (const { current } of open.values()) if (current && !current.headersSent) current.shouldKeepAlive = false
    },
    release: forget,
    underWay(socket) {
      const { current, pipelined = [] } = open.get(socket) ?? {}
      return { count: (current ? 1 : 0) + pipelined.length, latest: pipelined.at(-1)?.response ?? current }
    },
  }
}

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import type { Dependencies } from '../services.ts'
import {
  expectationFailed,
  headersTooLarge,
  unknownPath,
  requestTimeout,
  type ServiceError,
  unreadableRequest,
} from '../errors.ts'
import type { UnderWay } from './connections.ts'
import { failureShape } from './failure-shape.ts'

/** The parse error of Node, with the bytes that could not be parsed. */
type ParseError = Error & { code?: string; rawPacket?: unknown }

/** Responds to requests that never reach a route, in the format of all other errors. */
export interface UnreadableRequests {
  /** For `clientError`: requests that cannot be parsed, are too large, or do not end. */
  answerConnection: (error: ParseError, socket: Socket, underWay: UnderWay) => void
  /** For requests that were parsed but are invalid. */
  answer: (error: ServiceError, request: IncomingMessage, response: ServerResponse) => void
}

/** The time to read a response. Without it, a client that still sends would see a reset connection instead. */
const TIME_TO_READ = SECOND

export function answerUnreadable({
  clock,
  random,
  log,
}: Pick<Dependencies, 'clock' | 'random' | 'log'>): UnreadableRequests {
  const going = new WeakSet<Socket>()
  const responseOf = (error: ServiceError, url: string) => {
    const requestId = random.requestId()
    const body = failureShape(url, error, { requestId, now: clock.now() })
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      connection: 'close',
    }
    return { requestId, body, headers }
  }

  return {
    answerConnection(thrown, socket, { count, latest }) {
      if (going.has(socket)) return
      // It follows a complete request, which gets its response first.
      if (count === 1 && latest?.req.complete && !latest.headersSent) {
        latest.shouldKeepAlive = false
        return
      }
      // A response that is partly sent, or belongs to another request, must not be mixed with this one.
      if (!socket.writable || count > 1 || latest?.headersSent) return void socket.destroy(thrown)
      const error = errorOf(thrown)
      const url = latest?.req.url ?? pathIn(thrown.rawPacket)
      const { requestId, body, headers } = responseOf(error, url)
      const lines = Object.entries({ date: new Date(clock.now()).toUTCString(), ...headers }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      )
      socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`)
      going.add(socket)
      // Data after this response must not be processed.
      if (error.code === 'TIMEOUT') socket.destroySoon()
      else setTimeout(() => socket.destroy(), TIME_TO_READ).unref()
      // Browsers open connections that they may never use.
      if (socket.bytesRead > 0)
        log.info({ request_id: requestId, status: error.status, reason: thrown.code }, 'a request could not be read')
    },
    answer(error, request, response) {
      const { requestId, body, headers } = responseOf(error, request.url ?? '')
      log.info({ request_id: requestId, status: error.status, reason: error.message }, 'a request could not be read')
      response.writeHead(error.status, headers)
      response.end(body)
    },
  }
}

function errorOf({ code }: ParseError): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout()
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  return unreadableRequest('The request is not HTTP that can be read')
}

/** A DNS name or an IP address, with or without a port from 0 to 65535. */
const HOST =
  /^(?:[A-Za-z0-9._~%-]+|\[[0-9A-Fa-f:.]+\])(?::(?:\d{0,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/
/** Node uses the same pattern. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/**
 * The error for an expectation that cannot be met (RFC 9110 10.1.1) or for repeated headers (RFC 9112 3.2, RFC 9110
 * 5.3), of which a proxy could use another value than the service. Undefined for valid headers.
 */
export function invalidHeaders({ headers, rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  const { host, expect } = headers
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return host === undefined ? NO_HOST : BAD_HOST
  if (expect !== undefined && !CONTINUE.test(expect)) return UNMET_EXPECTATION
  let hosts = 0
  let authorizations = 0
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++
  }
  if (hosts > 1) return TWO_HOSTS
  return authorizations > 1 ? TWO_AUTHORIZATIONS : undefined
}

// Created once, because they contain no data of a request.
const NO_HOST = unreadableRequest('The request has no header Host')
const BAD_HOST = unreadableRequest('The header Host must be a host name or an IP address, with or without a port')
const UNMET_EXPECTATION = expectationFailed()
const TWO_HOSTS = unreadableRequest('The request has more than one header Host')
const TWO_AUTHORIZATIONS = unreadableRequest('The request has more than one header Authorization; send one')

/** The error for a path that the router rejects. */
export function notAPath({ code }: { code: string }, { method = '', url = '' }: IncomingMessage): ServiceError {
  return code === 'FST_ERR_BAD_URL'
    ? unreadableRequest('The path cannot be read: each % has to begin the code of a byte of UTF-8, such as %20')
    : unknownPath(method, url)
}

/** The path of the request that a packet begins with, if it begins with one. */
function pathIn(packet: unknown): string {
  const start = packet instanceof Buffer ? packet.toString('latin1', 0, 2_000) : ''
  return /^[A-Za-z]+ (\/[^ \r\n]*) HTTP\//.exec(start)?.[1] ?? ''
}

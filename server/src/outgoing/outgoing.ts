import type { Agent, Dispatcher } from 'undici'
import type { GuardOptions } from './guarded-connector.ts'
import { type AllowedHost } from '../settings/hosts.ts'
import { asOutgoingError, OutgoingError } from './outgoing-error.ts'
import { nextHop, type Hop, parseTarget } from './redirects.ts'

export interface OutgoingRequest {
  url: string
  method?: 'GET' | 'POST'
  /** Lower-case names. A redirect to another origin keeps only `accept` and `content-type`. */
  headers?: Readonly<Record<string, string>>
  body?: string
  /** The maximum size of the response body. */
  maxBytes: number
  /** Milliseconds for name resolution, redirects and the whole body. */
  timeout: number
  /** The maximum number of redirects; default: 3. */
  redirects?: number
  signal?: AbortSignal
}

export interface OutgoingAnswer {
  status: number
  /** By lower-case name; repeated values are joined by a comma. */
  headers: Readonly<Record<string, string>>
  /** The URL of the response, after redirects. */
  url: string
  /** Throws OutgoingError if the body is too large, too slow or interrupted. */
  body: AsyncIterable<Buffer>
}

export interface Sender {
  /**
   * Sends a request and passes the response to `use`, which reads the body as a stream; the unread rest is discarded.
   * @throws OutgoingError if no response arrives, or the URL is not allowed
   */
  send<T>(request: OutgoingRequest, use: (answer: OutgoingAnswer) => Promise<T>): Promise<T>
}

/** Sends all requests to other machines. */
export interface Outgoing extends Sender {
  /** The same without the hosts of QUESTBOARD_OUTGOING_HOSTS, for URLs that others than operators chose. */
  publicOnly: Sender
  close(): Promise<void>
}

export type OutgoingOptions = Pick<GuardOptions, 'lookup' | 'permits' | 'namedBy'> & { hosts: readonly AllowedHost[] }

const MAX_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Allows only public addresses, and hosts in QUESTBOARD_OUTGOING_HOSTS. */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  const everywhere = sender(options)
  const publicOnly = sender({ ...options, hosts: [] })
  return {
    ...everywhere,
    publicOnly,
    close: async () => void (await Promise.all([everywhere.close(), publicOnly.close()])),
  }
}

function sender(options: OutgoingOptions): Omit<Outgoing, 'publicOnly'> {
  let agent: Promise<Agent> | undefined
  let closed = false
  // Loaded at the first request: undici takes 5 MB of each worker, and many workers send nothing.
  const load = async (): Promise<Agent> => {
    try {
      return (await import('./agent.ts')).createAgent(options)
    } catch (error) {
      agent = undefined // the next request loads it again
      throw error
    }
  }
  const connect = (): Promise<Agent> => {
    if (closed) throw new OutgoingError('connection', 'the service is stopping')
    return (agent ??= load())
  }
  return {
    async send(request, use) {
      const deadline = AbortSignal.timeout(request.timeout)
      const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline
      let hop: Hop = {
        url: parseTarget(request.url),
        method: request.method ?? 'GET',
        headers: { ...request.headers },
        body: request.body,
      }
      for (let followed = 0; ; followed++) {
        const answer = await dispatch(await connect(), hop, signal)
        const { location } = answer.headers
        if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') {
          try {
            return await use(readable(answer, hop.url, request.maxBytes, signal))
          } finally {
            discard(answer.body)
          }
        }
        discard(answer.body)
        if (followed >= (request.redirects ?? MAX_REDIRECTS))
          throw new OutgoingError('redirect', `${hop.url.host} redirects too many times`)
        hop = nextHop(hop, answer.statusCode, location)
      }
    },
    async close() {
      closed = true
      const opened = await agent?.catch(() => undefined)
      await opened?.destroy()
    },
  }
}

async function dispatch(agent: Agent, hop: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { url, method, headers, body } = hop
  try {
    signal.throwIfAborted()
    return await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { 'user-agent': 'Questboard', 'accept-encoding': 'identity', ...headers },
      body: body ?? null,
      signal,
    })
  } catch (error) {
    throw asOutgoingError(error, url.host)
  }
}

function readable(answer: Dispatcher.ResponseData, url: URL, maxBytes: number, signal: AbortSignal): OutgoingAnswer {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  const tooLarge = () => new OutgoingError('size', `the response of ${url.host} is larger than ${maxBytes} bytes`)
  async function* body(): AsyncGenerator<Buffer> {
    const encoding = headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      throw new OutgoingError(
        'encoding',
        `${url.host} responds with the content encoding ${encoding}, which was not requested`,
      )
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
    let bytes = 0
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        bytes += chunk.length
        if (bytes > maxBytes) throw tooLarge()
        yield chunk
      }
    } catch (error) {
      throw asOutgoingError(signal.aborted ? signal.reason : error, url.host)
    }
  }
  return { status: answer.statusCode, headers, url: url.href, body: body() }
}

/** Closes the connection if the body was not read completely; otherwise it is kept alive. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {}) // closed on purpose
  body.destroy()
}

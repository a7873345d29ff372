import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { FuzzRequest } from './inputs.ts'

export interface Verdict {
  /** 0 if the connection closed without a response. */
  status: number
  /** Why a response may be missing: the service stopped reading. */
  cutOff?: 'body over the limit' | 'malformed head'
  /** Why the response is wrong; undefined if it is correct. */
  wrong?: string
}

export type Judge = (sent: FuzzRequest) => Promise<Verdict>

const PATIENCE_MS = 20_000

/**
 * In a JSON body, it is replaced by the `version` of the object at the path of the request. Each change of an object gives
 * it a new version.
 */
export const CURRENT_VERSION = '(current version)'

/** Bytes of a body that each endpoint takes; the OAuth endpoints take the least. */
const MIN_BODY_LIMIT = 64 * 1024

/** The source of a credential is another machine, which may fail. */
const SOURCE_FAILED = /"code":"(?:source_unavailable|UPSTREAM_UNAVAILABLE)"/
/** A worktree without built pages can run the test, too. */
const NOT_BUILT = /The (?:pages are|manual of this installation is) not built/
const TRACE = /\bat [^\n]*(?:\.[jt]s:\d+|node:)/

/** A well-formed head of a request without a body. */
const WELL_FORMED =
  /^(?:GET|POST|OPTIONS) \/[!-~]* HTTP\/1\.1\r\n(?:[!#-'*+.0-9A-Z^_`a-z|~-]+:[\t\x20-\x7e]*\r\n)+\r\n$/

/** Sends requests over persistent connections. Each must get a response, and none may be 5xx. */
export function judgeAt(url: string): { judge: Judge; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const { hostname, port } = new URL(url)
  return {
    judge: async (sent) =>
      sent.raw
        ? judgeRaw(hostname, Number(port), sent.raw)
        : judgeRequest(agent, url, await withCurrentVersion(url, sent)),
    close: () => agent.destroy(),
  }
}

async function withCurrentVersion(url: string, sent: FuzzRequest): Promise<FuzzRequest> {
  const { path, headers, body } = sent
  if (typeof body !== 'string' || !body.includes(CURRENT_VERSION)) return sent
  const [object = ''] = path.split('?')
  for (const at of [object, object.slice(0, object.lastIndexOf('/'))]) {
    const answer = await fetch(new URL(at, url), { headers })
    const { version } = (answer.ok ? await answer.json() : {}) as { version?: string | null }
    if (version !== undefined) return { ...sent, body: body.replace(`"${CURRENT_VERSION}"`, JSON.stringify(version)) }
  }
  return sent
}

function judgeRequest(agent: Agent | false, url: string, sent: FuzzRequest): Promise<Verdict> {
  return new Promise((resolve) => {
    const { method, path, body } = sent
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const outgoing = request(url, {
      agent,
      method,
      path,
      headers: { ...sent.headers, ...length },
      timeout: PATIENCE_MS,
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer')))
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      const closed = error.code === 'EPIPE' || error.code === 'ECONNRESET'
      // The service may close an idle connection just before its next request, which it then has not read.
      if (closed && outgoing.reusedSocket) return resolve(judgeRequest(false, url, sent))
      // The service may answer and close before it has read a body that it will not take.
      if (closed && Buffer.byteLength(body ?? '') > MIN_BODY_LIMIT)
        resolve({ status: 0, cutOff: 'body over the limit' })
      else resolve({ status: 0, wrong: String(error) })
    })
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = []
      // A stream of events does not end.
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.on('error', () => {})
        outgoing.destroy()
        return resolve({ status: response.statusCode ?? 0 })
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', (error) => resolve({ status: 0, wrong: String(error) }))
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const { statusCode: status = 0 } = response
        const isExpected = SOURCE_FAILED.test(text) || NOT_BUILT.test(text)
        const failed = TRACE.test(text) || (!isExpected && (status >= 500 || /"http_status":5\d\d/.test(text)))
        resolve({ status, ...(failed && { wrong: `${status} ${text.slice(0, 300)}` }) })
      })
    })
    outgoing.end(body)
  })
}

function judgeRaw(host: string, port: number, raw: Buffer): Promise<Verdict> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, host)
    socket.setTimeout(PATIENCE_MS, () => {
      resolve({ status: 0, wrong: 'the connection stays open' })
      socket.destroy()
    })
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    const unanswered = (): Verdict =>
      WELL_FORMED.test(raw.toString('latin1'))
        ? { status: 0, wrong: 'no answer to a head that is well-formed' }
        : { status: 0, cutOff: 'malformed head' }
    socket.once('error', () => resolve(unanswered()))
    socket.once('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
      if (status === 0) resolve(unanswered())
      else resolve({ status, ...(status >= 500 && status !== 505 && { wrong: text.slice(0, 300) }) })
    })
    socket.end(raw)
  })
}

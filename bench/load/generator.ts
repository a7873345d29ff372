import { connect, type Socket } from 'node:net'
import type { LoadOrder, LoadReport } from './load.ts'

/**
 * The process that makes load: keep-alive connections, on each one request after the other, as bytes that were made
 * before the clock runs. It looks at the status and length of every answer, and at the whole text of every 512th.
 */

const LOOK_EVERY = 512
const HEAD_END = '\r\n\r\n'

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})

async function run(order: LoadOrder): Promise<LoadReport> {
  const requests = order.bodies.map((body, n) => requestBytes(order, order.paths?.[n] ?? order.path, body))
  const state: State = {
    next: 0,
    requests,
    measuring: false,
    stopped: false,
    latencies: [],
    refused: 0,
    failures: 0,
    once: order.once,
  }
  const sockets = Array.from({ length: order.connections }, () => drive(order, state))
  await Promise.all(sockets.map(({ connected }) => connected))
  if (!order.once) await sleep(order.warmup * 1000)
  state.measuring = true
  const started = performance.now()
  for (const socket of sockets) if (order.once) socket.start()
  if (order.once) await Promise.all(sockets.map(({ done }) => done))
  else await sleep(order.seconds * 1000)
  state.measuring = false
  const seconds = (performance.now() - started) / 1000
  state.stopped = true
  for (const { socket } of sockets) socket.destroy()
  return report(state, seconds)
}

interface State {
  next: number
  requests: Buffer[]
  measuring: boolean
  stopped: boolean
  latencies: number[]
  refused: number
  failures: number
  firstFailure?: string
  once: boolean
}

function requestBytes({ method, host, port, headers }: LoadOrder, path: string, body: string): Buffer {
  const all = method === 'GET' ? headers : { 'content-type': 'application/json', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\n${lines.join('')}`
  if (method === 'GET') return Buffer.from(`${head}${body}\r\n`)
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function drive(
  order: LoadOrder,
  state: State,
): { socket: Socket; connected: Promise<void>; done: Promise<void>; start: () => void } {
  let sentAt = 0
  let missing = -1 // bytes of the answer that are still to come; -1: its head has not come yet
  let chunked = false
  let held: Buffer[] = []
  const finished = Promise.withResolvers<void>()
  const ask = () => {
    if (state.stopped || (state.once && state.next >= state.requests.length)) return finished.resolve()
    const request = state.requests[state.next++ % state.requests.length] as Buffer
    sentAt = performance.now()
    socket.write(request)
  }
  const answered = (ok: boolean) => {
    if (state.measuring) state.latencies.push(performance.now() - sentAt)
    const text = ok && state.next % LOOK_EVERY !== 0 ? '' : Buffer.concat(held).toString()
    if (!ok || text.includes('"errors"')) {
      if (text.startsWith('HTTP/1.1 503')) state.refused++
      else state.failures++
      state.firstFailure ??= text.slice(0, 1000)
    }
    held = []
    missing = -1
    ask()
  }
  let fine = true
  const socket = connect({ host: order.host, port: order.port, noDelay: true })
  socket.on('data', (chunk: Buffer) => {
    held.push(chunk)
    if (missing === -1) {
      const head =
        held.length === 1 ? chunk.toString('latin1', 0, 4096) : Buffer.concat(held).toString('latin1', 0, 4096)
      const end = head.indexOf(HEAD_END)
      if (end === -1) return
      fine = head.startsWith(`HTTP/1.1 ${order.status}`)
      const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end + 2))
      const bodiless = head.startsWith('HTTP/1.1 304')
      chunked = !length && !bodiless
      const received = held.reduce((sum, part) => sum + part.length, 0)
      missing = chunked ? Infinity : (bodiless ? 0 : Number(length?.[1])) + end + HEAD_END.length - received
    } else missing -= chunk.length
    if (missing === 0 || (chunked && endsChunks(held))) answered(fine)
  })
  socket.on('error', (error) => {
    if (state.stopped) return
    state.failures++
    state.firstFailure ??= String(error)
    finished.resolve()
  })
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', () => {
      if (!state.once) ask()
      resolve()
    })
    socket.once('error', reject)
  })
  return { socket, connected, done: finished.promise, start: ask }
}

function endsChunks(held: Buffer[]): boolean {
  return (held.at(-1) as Buffer).subarray(-5).toString('latin1') === '0\r\n\r\n'
}

function report({ latencies, refused, failures, firstFailure }: State, seconds: number): LoadReport {
  const sorted = Float64Array.from(latencies).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  return {
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    refused,
    failures,
    ...(firstFailure === undefined ? {} : { firstFailure }),
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

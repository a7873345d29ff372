import { connect, type Socket } from 'node:net'

/** Requests that leave when their time has come, whether or not earlier ones were answered, as those of many users do. */
export interface OpenLoad {
  host: string
  port: number
  /** Who asks, and how often a second. */
  senders: { token: string; perSecond: number }[]
  seconds: number
  /** JSON object to which `extensions` is added, so that no two bodies are the same. */
  body: string
  /** Above this number of open connections, a request is not sent and is counted as not sent. */
  mostConnections: number
}

export interface Outcome {
  admitted: number
  refused: number
  /** Neither 200 nor 503 with Retry-After, or no answer. */
  odd: number
  firstOdd?: string
  /** Found no connection to leave on. */
  unsent: number
  /** Milliseconds from the moment at which the request was due: median, 99th percentile, longest. */
  admittedTook: Took
  refusedTook: Took
}

export type Took = [p50: number, p99: number, longest: number]

const TICK_MS = 2
const HEAD_END = '\r\n\r\n'

interface Line {
  socket: Socket
  text: string
  done: ((text: string | undefined) => void) | undefined
}

interface Tally extends Omit<Outcome, 'admittedTook' | 'refusedTook'> {
  admittedTook: number[]
  refusedTook: number[]
}

/** @returns what became of the requests of each sender */
export async function sendOpenLoad(load: OpenLoad): Promise<Outcome[]> {
  const idle: Line[] = []
  const all = new Set<Line>()
  const underWay = new Set<Promise<void>>()
  let number = 0

  function lineOrNone(): Line | undefined {
    const free = idle.pop()
    if (free || all.size >= load.mostConnections) return free
    const line: Line = {
      socket: connect({ host: load.host, port: load.port, noDelay: true }),
      text: '',
      done: undefined,
    }
    all.add(line)
    line.socket.setEncoding('latin1')
    line.socket.on('data', (chunk: string) => {
      line.text += chunk
      if (!isWhole(line.text)) return
      const { text, done } = line
      line.text = ''
      line.done = undefined
      if (/\r\nconnection: close/i.test(text)) line.socket.destroy()
      else idle.push(line)
      done?.(text)
    })
    line.socket.on('error', () => {}) // the close event reports it
    line.socket.on('close', () => {
      all.delete(line)
      const at = idle.indexOf(line)
      if (at !== -1) idle.splice(at, 1)
      line.done?.(undefined)
    })
    return line
  }

  function send(token: string, due: number, tally: Tally): void {
    const line = lineOrNone()
    if (!line) return void tally.unsent++
    const body = `${load.body.slice(0, -1)},"extensions":{"n":${number++}}}`
    const answered = new Promise<void>((resolve) => {
      line.done = (text) => {
        note(tally, text, performance.now() - due)
        resolve()
      }
    })
    underWay.add(answered)
    void answered.then(() => underWay.delete(answered))
    line.socket.write(
      `POST /query HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\naccess-token: ${token}\r\ncontent-length: ${body.length}${HEAD_END}${body}`,
    )
  }

  const tallies = load.senders.map((): Tally => ({
    admitted: 0,
    refused: 0,
    odd: 0,
    unsent: 0,
    admittedTook: [],
    refusedTook: [],
  }))
  const started = performance.now()
  const sent = load.senders.map(() => 0)
  await new Promise<void>((resolve) => {
    const ticking = setInterval(() => {
      const elapsed = performance.now() - started
      for (const [index, { token, perSecond }] of load.senders.entries()) {
        const due = Math.floor((Math.min(elapsed, load.seconds * 1000) / 1000) * perSecond)
        for (; (sent[index] as number) < due; sent[index] = (sent[index] as number) + 1)
          send(token, started + (((sent[index] as number) + 1) / perSecond) * 1000, tallies[index] as Tally)
      }
      if (elapsed < load.seconds * 1000) return
      clearInterval(ticking)
      resolve()
    }, TICK_MS)
  })
  await Promise.all(underWay)
  for (const { socket } of all) socket.destroy()
  return tallies.map((tally) => ({
    ...tally,
    admittedTook: summary(tally.admittedTook),
    refusedTook: summary(tally.refusedTook),
  }))
}

function isWhole(text: string): boolean {
  const end = text.indexOf(HEAD_END)
  if (end === -1) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  return length !== undefined && text.length >= end + HEAD_END.length + Number(length)
}

function note(tally: Tally, text: string | undefined, took: number): void {
  if (text?.startsWith('HTTP/1.1 200') && !text.includes('"errors"')) {
    tally.admitted++
    tally.admittedTook.push(took)
  } else if (text?.startsWith('HTTP/1.1 503') && /\r\nretry-after: \d/i.test(text)) {
    tally.refused++
    tally.refusedTook.push(took)
  } else {
    tally.odd++
    tally.firstOdd ??= text?.slice(0, 500) ?? 'the connection was lost'
  }
}

function summary(times: readonly number[]): Took {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return [at(0.5), at(0.99), at(1)]
}

// Runs as a separate process: receives the order as a message and returns the outcome as one.
if (process.send)
  process.on('message', (order: OpenLoad) => {
    sendOpenLoad(order).then(
      (outcome) => process.send?.(outcome),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })

import { setTimeout as sleep } from 'node:timers/promises'

/** One answer: when it was asked for and how long it took, in seconds since the watch began. */
export interface Seen {
  at: number
  took: number
  status: number
  /** The place of its query. */
  query: number
  /** What was wrong with it: a status that is neither 200 nor 503, no Retry-After, a connection that broke. */
  odd?: string
}

export interface Watch {
  /** Seconds since the watch began. */
  now(): number
  stop(): Promise<readonly Seen[]>
}

const PAUSE_MS = 20

/** Clients that each ask one of the queries over and over, and write down how each request ended. */
export function startWatch(options: { url: string; token: string; bodies: readonly string[]; clients: number }): Watch {
  const { url, token, bodies, clients } = options
  const started = performance.now()
  const now = () => (performance.now() - started) / 1000
  const seen: Seen[] = []
  let stopping = false
  const client = async (_: unknown, number: number): Promise<void> => {
    const query = number % bodies.length
    while (!stopping) {
      const at = now()
      const { status, odd } = await ask(url, token, bodies[query] ?? '')
      seen.push({ at, took: now() - at, status, query, ...(odd !== undefined && { odd }) })
      await sleep(PAUSE_MS)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, client))
  return {
    now,
    async stop() {
      stopping = true
      await running
      return seen
    },
  }
}

async function ask(url: string, token: string, body: string): Promise<{ status: number; odd?: string }> {
  try {
    const headers = { 'content-type': 'application/json', 'access-token': token }
    const response = await fetch(`${url}/query`, { method: 'POST', headers, body })
    const { status } = response
    const text = await response.text()
    if (status === 200) return text.includes('"errors"') ? { status, odd: text.slice(0, 200) } : { status }
    const fine = status === 503 && text.includes('"UNAVAILABLE"') && response.headers.get('retry-after') !== null
    return fine ? { status } : { status, odd: `${status} ${text.slice(0, 200)}` }
  } catch (error) {
    return { status: 0, odd: String((error as Error).cause ?? error) }
  }
}

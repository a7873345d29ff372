import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What the clients found: a failure is any answer but a 200 without errors, and any connection that broke. */
export interface Followed {
  requests: number
  failures: number
  firstFailure?: string
}

export interface Followers {
  /** How many requests have been answered until now. */
  answered(): number
  /** Whether the instance is asked at present. */
  follows(url: string): boolean
  stop(): Promise<Followed>
}

const POLL_MS = 100

/**
 * Clients with lasting connections that go where a load balancer would send them: in turn to the instances that say on
 * `/readyz` that they are ready. No request is sent twice.
 */
export function startFollowers(options: {
  instances: () => readonly string[]
  token: string
  body: string
  clients: number
  /** Milliseconds that a client rests between two requests. */
  pause?: number
}): Followers {
  const { instances, token, body, clients, pause = 0 } = options
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const found: Followed = { requests: 0, failures: 0 }
  let ready: string[] = []
  let [stopping, turn] = [false, 0]

  const watch = async (): Promise<void> => {
    while (!stopping) {
      const urls = instances()
      const states = await Promise.all(urls.map(isReady))
      ready = urls.filter((_, number) => states[number])
      await sleep(POLL_MS)
    }
  }
  const client = async (): Promise<void> => {
    while (!stopping) {
      const url = ready[turn++ % ready.length]
      if (url === undefined) {
        await sleep(POLL_MS / 10)
        continue
      }
      const problem = await ask(agent, url, token, body)
      found.requests++
      if (problem !== undefined) {
        found.failures++
        found.firstFailure ??= `${url}: ${problem}`
      }
      if (pause > 0) await sleep(pause)
    }
  }
  const running = Promise.all([watch(), ...Array.from({ length: clients }, client)])
  return {
    answered: () => found.requests,
    follows: (url) => ready.includes(url),
    async stop() {
      stopping = true
      await running
      agent.destroy()
      return found
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined) // a refused connection means not ready
  await response?.body?.cancel()
  return response?.status === 200
}

/** @returns what was wrong */
function ask(agent: Agent, url: string, token: string, body: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'access-token': token,
    }
    const sent = request(`${url}/query`, { agent, method: 'POST', headers })
    sent.once('error', (error) => resolve(String(error)))
    sent.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', (error) => resolve(String(error)))
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        const fine = response.statusCode === 200 && !text.includes('"errors"')
        resolve(fine ? undefined : `${response.statusCode} ${text.slice(0, 300)}`)
      })
    })
    sent.end(body)
  })
}

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SentAward } from '../faults/award-senders.ts'

export interface AwardLoad {
  url: string
  token: string
  /** Events a second that are offered; fewer get through when the service cannot keep up. */
  pace: number
  /** For how many seconds bodies are made before the clock runs. Load that goes on for longer makes them as it goes. */
  seconds: number
  batch: number
  senders: number
  award: (key: string) => SentAward
}

let run = 0

/** Sends awards at a pace until stopped. @returns how many were acknowledged a second @throws when any was not applied */
export function startAwards({ url, token, pace, seconds, batch, senders, award }: AwardLoad): {
  stop: () => Promise<number>
} {
  const number = ++run
  const body = (n: number): Buffer => {
    const items = Array.from({ length: batch }, (_, i) => award(`${process.pid}-${number}-${n * batch}-${i}`))
    return Buffer.from(JSON.stringify({ items }))
  }
  const ready = Array.from({ length: Math.ceil((seconds * pace) / batch) }, (_, n) => body(n))
  const post = poster(`${url}/ingest/v1/awards`, token, senders)
  const allApplied = `"summary":{"applied":${batch},`
  const started = performance.now()
  let [sent, acknowledged, stopping] = [0, 0, false]
  const send = async (): Promise<void> => {
    while (!stopping) {
      const n = sent++
      const early = ((n * batch) / pace) * 1000 - (performance.now() - started)
      if (early > 0) await sleep(early)
      const answer = await post(ready[n] ?? body(n))
      if (!answer.includes(allApplied)) throw new Error(`awards were refused: ${answer.slice(0, 500)}`)
      acknowledged += batch
    }
  }
  const sending = Promise.all(Array.from({ length: senders }, send))
  sending.catch(() => {}) // stop() reports the error
  return {
    async stop() {
      const took = (performance.now() - started) / 1000
      const inTime = acknowledged
      stopping = true
      await sending
      post.close()
      return inTime / took
    },
  }
}

/** Posts bodies over keep-alive connections, which costs the machine less than `fetch` does. */
function poster(url: string, token: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const post = (body: Buffer): Promise<string> =>
    new Promise((resolve, reject) => {
      const asked = request(url, { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } })
      asked.on('error', reject)
      asked.on('response', (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('error', reject)
        answer.on('end', () => resolve(Buffer.concat(parts).toString('latin1')))
      })
      asked.end(body)
    })
  return Object.assign(post, { close: () => agent.destroy() })
}

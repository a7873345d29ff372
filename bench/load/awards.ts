import { setTimeout as sleep } from 'node:timers/promises'
import type { SentAward } from '../faults/award-senders.ts'

export interface AwardLoad {
  url: string
  token: string
  /** Events a second that are offered; fewer get through when the service cannot keep up. */
  pace: number
  batch: number
  senders: number
  award: (key: string) => SentAward
}

let run = 0

/** Sends awards at a pace until stopped. @returns how many were acknowledged a second @throws when any was not applied */
export function startAwards({ url, token, pace, batch, senders, award }: AwardLoad): { stop: () => Promise<number> } {
  const started = performance.now()
  const number = ++run
  let [sent, acknowledged, stopping] = [0, 0, false]
  const send = async (): Promise<void> => {
    while (!stopping) {
      const early = (sent / pace) * 1000 - (performance.now() - started)
      const first = (sent += batch)
      if (early > 0) await sleep(early)
      const items = Array.from({ length: batch }, (_, i) => award(`${started}-${number}-${first}-${i}`))
      const response = await fetch(`${url}/ingest/v1/awards`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ items }),
      })
      const answer = (await response.json()) as { summary?: { applied: number } }
      if (answer.summary?.applied !== batch)
        throw new Error(`awards were refused: ${JSON.stringify(answer).slice(0, 500)}`)
      acknowledged += batch
    }
  }
  const sending = Promise.all(Array.from({ length: senders }, send))
  sending.catch(() => {}) // stop() tells it
  return {
    async stop() {
      const seconds = (performance.now() - started) / 1000
      const inTime = acknowledged
      stopping = true
      await sending
      return inTime / seconds
    },
  }
}

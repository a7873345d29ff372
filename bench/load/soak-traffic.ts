import { setTimeout as sleep } from 'node:timers/promises'
import type { Send } from './soak-requests.ts'

export interface SoakTraffic {
  /** Times of the answers since it was asked last, in milliseconds, and what was wrong. */
  take(): { times: number[]; failures: string[] }
  stop(): Promise<void>
}

const AGENTS = 16

/** Traffic at an even pace: each client waits for its answer, and for its next turn. */
export function startSoakTraffic(draw: () => Send, perSecond: number): SoakTraffic {
  let times: number[] = []
  let failures: string[] = []
  let [stopping, sent] = [false, 0]
  const started = performance.now()
  const client = async (): Promise<void> => {
    while (!stopping) {
      const due = started + (sent++ / perSecond) * 1000
      await sleep(Math.max(0, due - performance.now()))
      const begun = performance.now()
      const problem = await draw()().catch(String)
      times.push(performance.now() - begun)
      if (problem !== undefined) failures.push(problem)
    }
  }
  const running = Promise.all(Array.from({ length: AGENTS }, client))
  return {
    take() {
      const taken = { times, failures }
      ;[times, failures] = [[], []]
      return taken
    },
    async stop() {
      stopping = true
      await running
    },
  }
}

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningNginx } from './nginx.ts'

const PATH = '/oauth/auth/2/token'

/** Redeems invalid codes through nginx. @returns the status of each response, or the error */
export function redeemThrough(front: RunningNginx): { stop: () => Promise<string[]> } {
  const agent = new Agent({ keepAlive: true, ca: front.certificate, servername: 'quests.example.org' })
  const answers: string[] = []
  let stopping = false
  const redeem = async (): Promise<string> => {
    const sent = request({
      ...{ agent, host: '127.0.0.1', port: front.httpsPort, path: PATH, method: 'POST' },
      headers: { host: 'quests.example.org', 'content-type': 'application/x-www-form-urlencoded' },
    }).end('client_id=nobody&client_secret=nothing&code=none')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await finished(response.resume())
    return String(response.statusCode)
  }
  const client = async (): Promise<void> => {
    while (!stopping) {
      answers.push(await redeem().catch(String))
      await sleep(10)
    }
  }
  const running = Promise.all(Array.from({ length: 6 }, client))
  return {
    async stop() {
      stopping = true
      await running
      agent.destroy()
      return answers
    },
  }
}

import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pageBody } from './board-pages.ts'

export interface SoakPlan {
  url: string
  token: string
  writer: string
  spaceId: number
  members: number
  credentialId: string
  /** Requests of all kinds a second. */
  perSecond: number
}

export interface SoakTraffic {
  /** Times of the answers since it was asked last, in milliseconds, and what was wrong. */
  take(): { times: number[]; failures: string[] }
  stop(): Promise<void>
}

const AGENTS = 16
/** Of a hundred requests: pages of all depths, look-ups, awards; the rest asks for a quest that is not there. */
const SHARES = { pages: 60, lookUps: 30, awards: 5 }

/** Mixed traffic at an even pace: each client waits for its answer, and for its next turn. */
export function startSoakTraffic(plan: SoakPlan): SoakTraffic {
  let times: number[] = []
  let failures: string[] = []
  let [stopping, sent] = [false, 0]
  const started = performance.now()
  const cursors: string[] = []
  const client = async (): Promise<void> => {
    while (!stopping) {
      const due = started + (sent++ / plan.perSecond) * 1000
      await sleep(Math.max(0, due - performance.now()))
      const begun = performance.now()
      const problem = await ask(plan, cursors).catch(String)
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

async function ask(plan: SoakPlan, cursors: string[]): Promise<string | undefined> {
  const kind = randomInt(100)
  const member = `m${randomInt(plan.members)}`
  if (kind < SHARES.awards) {
    const item = {
      key: `soak-${crypto.randomUUID()}`,
      spaceId: plan.spaceId,
      address: member,
      points: randomInt(1, 50),
    }
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${plan.writer}` }
    const body = JSON.stringify({ items: [item] })
    return outcome(await fetch(`${plan.url}/ingest/v1/awards`, { method: 'POST', headers, body }))
  }
  const headers = { 'content-type': 'application/json', 'access-token': plan.token }
  const isPage = kind < SHARES.awards + SHARES.pages
  const cursorAfter = cursors.length > 0 && randomInt(4) > 0 ? (cursors[randomInt(cursors.length)] as string) : null
  const address = `0x${randomInt(2 ** 40)
    .toString(16)
    .padStart(40, '0')}`
  const body = isPage
    ? pageBody(plan.spaceId, { cursorAfter })
    : kind < SHARES.awards + SHARES.pages + SHARES.lookUps
      ? JSON.stringify({ query: `{ credential(id: ${plan.credentialId}) { eligible(address: "${address}") } }` })
      : JSON.stringify({ query: '{ __typename }' })
  const response = await fetch(`${plan.url}/query`, { method: 'POST', headers, body })
  const text = await response.text()
  const next = /"endCursor":"([^"]+)"/.exec(text)?.[1]
  // Those that are kept are young: a cursor answers for half an hour.
  if (isPage && next !== undefined) cursors[cursors.length < 50 ? cursors.length : randomInt(50)] = next
  return response.status === 200 && !text.includes('"errors"') ? undefined : `${response.status} ${text.slice(0, 300)}`
}

async function outcome(response: Response): Promise<string | undefined> {
  const text = await response.text()
  return response.status === 200 && text.includes('"applied"') ? undefined : `${response.status} ${text.slice(0, 300)}`
}

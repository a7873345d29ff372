import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** A claim as it is sent, with the key that makes sending it again harmless. */
export interface SentClaim {
  /** Without colons. */
  key: string
  questId: string
  /** What the request names. */
  address: string
  /** The account of the address. */
  accountId?: string | undefined
  /** The token of an app that sends the claim; otherwise the operator's system sends it. */
  token?: string | undefined
}

/** What the service answered: `applied`, `duplicate`, or the reason of the refusal. */
export interface AnsweredClaim extends SentClaim {
  answers: string[]
}

export interface ClaimClients {
  answered(): readonly AnsweredClaim[]
  /** Requests that got no answer. */
  unanswered(): number
  /** Settles when all clients have ended. @throws when an answer was none that a claim may get */
  ended: Promise<unknown>
  /** Lets every client bring its last claim to an answer. @throws like `ended` */
  stop(): Promise<void>
}

export interface ClientOptions {
  clients: number
  urls: () => readonly string[]
  ingestToken: string
  claim: (number: number) => SentClaim
}

const RETRY_MS = 20
/** Every such claim is sent to two services at once, with the same key. */
const TWICE = 4

/** Sends claims as careful callers do: a claim that was not answered is sent again, with the same key, until it is. */
export function startClaimClients(options: ClientOptions): ClaimClients {
  const answered: AnsweredClaim[] = []
  let [next, unanswered, stopping] = [0, 0, false]

  async function sendUntilAnswered(claim: SentClaim): Promise<string> {
    for (;;) {
      const urls = options.urls()
      const url = urls.length === 0 ? undefined : urls[randomInt(urls.length)]
      const answer = url === undefined ? undefined : await send(url, options.ingestToken, claim)
      if (answer !== undefined) return answer
      unanswered++
      await sleep(RETRY_MS)
    }
  }
  async function client(): Promise<void> {
    while (!stopping) {
      const number = next++
      const claim = options.claim(number)
      const times = number % TWICE === 0 ? 2 : 1
      answered.push({
        ...claim,
        answers: await Promise.all(Array.from({ length: times }, () => sendUntilAnswered(claim))),
      })
    }
  }
  const running = Promise.all(Array.from({ length: options.clients }, client))
  running.catch(() => {}) // who waits for the end gets the error
  return {
    answered: () => answered,
    unanswered: () => unanswered,
    ended: running,
    async stop() {
      stopping = true
      await running
    },
  }
}

/** @returns undefined when the claim was not answered, so that it is unknown whether it was stored */
async function send(url: string, ingestToken: string, claim: SentClaim): Promise<string | undefined> {
  const { path, token, body } = requestOf(claim, ingestToken)
  let status: number
  let text: string
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    status = response.status
    text = await response.text()
  } catch {
    return undefined
  }
  if (status === 503 || status === 429) return undefined
  const answer = JSON.parse(text) as IngestAnswer & AppAnswer
  const item = answer.results?.[0]
  const found = item ? (item.error?.reason ?? item.status) : (answer.refusal?.reason ?? answer.status)
  if (found === undefined || (status !== 200 && status !== 409))
    throw new Error(`a claim was answered with ${status}: ${text.slice(0, 500)}`)
  return found
}

interface IngestAnswer {
  results?: { status: string; error?: { reason?: string } }[]
}

interface AppAnswer {
  status?: string
  refusal?: { reason: string }
}

function requestOf({ questId, key, address, token }: SentClaim, ingestToken: string) {
  return token === undefined
    ? { path: `/ingest/v1/quests/${questId}/completions`, token: ingestToken, body: { items: [{ key, address }] } }
    : { path: `/oauth/api/2/quests/${questId}/claim`, token, body: { key, address } }
}

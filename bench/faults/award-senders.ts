import { setTimeout as sleep } from 'node:timers/promises'

/** An award as it is sent, with the key that makes sending it again harmless. */
export interface SentAward {
  key: string
  spaceId: number
  sprintId?: number | undefined
  address: string
  points: number
}

interface Answer {
  results: { status: string; error?: unknown }[]
}

export interface AwardSenders {
  /** All awards of batches that were acknowledged; each batch was sent until it was. */
  acknowledged(): readonly SentAward[]
  /** Batches of which at least one sending got no answer. */
  unanswered(): number
  /** Lets every sender bring its last batch to an acknowledgement. */
  stop(): Promise<void>
  /** Ends every sender immediately. */
  abandon(): void
}

export interface SenderOptions {
  senders: number
  batch: number
  url: () => string | undefined
  token: string
  award: (key: string) => SentAward
}

const RETRY_MS = 20

/**
 * Sends awards through `POST /ingest/v1/awards` as a careful operator's system does: a batch that was not acknowledged
 * is sent again, with the same keys, until it is.
 * @throws (from stop) when an award of an acknowledged batch is said to be anything but applied, or applied before
 */
export function startAwardSenders(options: SenderOptions): AwardSenders {
  const acknowledged: SentAward[] = []
  let unanswered = 0
  let [stopping, abandoned] = [false, false]
  const send = async (sender: number): Promise<void> => {
    for (let number = 0; !stopping; number++) {
      const awards = Array.from({ length: options.batch }, (_, i) => options.award(`${sender}-${number}-${i}`))
      const lost = () => unanswered++
      if (await sendUntilAcknowledged(options, awards, { ended: () => abandoned, lost })) acknowledged.push(...awards)
    }
  }
  const sending = Promise.all(Array.from({ length: options.senders }, (_, sender) => send(sender)))
  sending.catch(() => {}) // stop() reports the error
  return {
    acknowledged: () => acknowledged,
    unanswered: () => unanswered,
    async stop() {
      stopping = true
      await sending
    },
    abandon() {
      stopping = abandoned = true
    },
  }
}

/**
 * Sends one batch until it is acknowledged. @returns false when `ended` said so before
 * @throws when an award is said to be anything but applied, or applied before
 */
export async function sendUntilAcknowledged(
  options: Pick<SenderOptions, 'url' | 'token'>,
  awards: readonly SentAward[],
  { ended = () => false, lost = () => {} }: { ended?: () => boolean; lost?: () => unknown } = {},
): Promise<boolean> {
  for (let attempt = 0; !ended(); attempt++) {
    const answer = await post(options, awards)
    if (answer) {
      checkStatuses(answer, attempt > 0)
      return true
    }
    if (attempt === 0) lost()
    await sleep(RETRY_MS)
  }
  return false
}

/** @returns undefined when the batch was not acknowledged */
async function post(
  { url, token }: Pick<SenderOptions, 'url' | 'token'>,
  items: readonly SentAward[],
): Promise<Answer | undefined> {
  const base = url()
  if (base === undefined) return undefined
  let status: number
  let text: string
  try {
    const response = await fetch(`${base}/ingest/v1/awards`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ items }),
    })
    status = response.status
    text = await response.text()
  } catch {
    return undefined // the connection was lost, so it is unknown whether the batch was stored
  }
  if (status === 503 || status === 429) return undefined
  if (status !== 200) throw new Error(`awards were refused with ${status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as Answer
}

function checkStatuses({ results }: Answer, sentBefore: boolean): void {
  const odd = results.find(({ status }) => status !== 'applied' && !(sentBefore && status === 'duplicate'))
  if (odd) throw new Error(`an award was answered with ${JSON.stringify(odd)}`)
}

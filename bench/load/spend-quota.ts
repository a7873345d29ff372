import { setTimeout as sleep } from 'node:timers/promises'

export interface Spent {
  /** Answers with 200. */
  admitted: number
  /** Answers with 429. */
  refused: number
  /** Answers with 503, before anything is spent: the machine has more to do than it can. */
  busy: number
  /** Everything else, the first in words. */
  odd: number
  firstOdd?: string
}

const BODY = JSON.stringify({ query: '{ __typename }' })
/** Units that another instance holds come back after a second; when nothing was admitted for this long, none is left. */
const QUIET_MS = 2_500
const PAUSE_MS = 20

/** Starts clients at every instance in turn that send requests until no request was admitted for a while. */
export async function spendQuota(urls: readonly string[], token: string, clients: number): Promise<Spent> {
  const spent: Spent = { admitted: 0, refused: 0, busy: 0, odd: 0 }
  let lastAdmitted = performance.now()
  const client = async (number: number): Promise<void> => {
    const url = urls[number % urls.length] as string
    while (performance.now() - lastAdmitted < QUIET_MS) {
      const response = await fetch(`${url}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'access-token': token },
        body: BODY,
      })
      const text = await response.text()
      if (response.status === 200) {
        spent.admitted++
        lastAdmitted = performance.now()
      } else if (response.status === 429 || response.status === 503) {
        if (response.status === 429) spent.refused++
        else spent.busy++
        await sleep(PAUSE_MS)
      } else {
        spent.odd++
        spent.firstOdd ??= `${response.status} ${text.slice(0, 300)}`
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return spent
}

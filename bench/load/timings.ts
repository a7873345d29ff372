import { Agent, request } from 'node:http'

export interface TimedRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** What the answer must have as its status. */
  status: number
}

/**
 * How long the answers of each side take, in microseconds: one request at a time on one connection, the sides in turn and
 * every second time in the opposite order, so that what else the machine does meets them alike. @throws for another status
 */
export async function timeInTurn<Side extends string>(
  samples: number,
  sides: Readonly<Record<Side, (sample: number) => TimedRequest>>,
): Promise<Record<Side, number[]>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const names = Object.keys(sides) as Side[]
  const timed = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, number[]>
  try {
    for (let sample = 0; sample < samples; sample++)
      for (const name of sample % 2 === 0 ? names : names.toReversed())
        timed[name].push(await timeOf(agent, sides[name](sample)))
  } finally {
    agent.destroy()
  }
  return timed
}

function timeOf(agent: Agent, { url, headers, body, status }: TimedRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === status) resolve((performance.now() - started) * 1000)
        else reject(new Error(`answered ${response.statusCode} in place of ${status}`))
      })
    })
    sent.end(body)
  })
}

/**
 * The probability that a time of one side is longer than a time of the other, as its distance from a half: 0 if the
 * sides cannot be distinguished, 0.5 if one is always longer (the statistic of Mann and Whitney).
 */
export function distinguishable(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((time) => ({ time, first: true })), ...b.map((time) => ({ time, first: false }))]
  const ranks = all.toSorted((x, y) => x.time - y.time)
  const sum = ranks.reduce((total, { first }, index) => total + (first ? index + 1 : 0), 0)
  return Math.abs((sum - (a.length * (a.length + 1)) / 2) / (a.length * b.length) - 0.5)
}

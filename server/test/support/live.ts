import { setTimeout as sleep } from 'node:timers/promises'

/** The fields of all events. */
export interface LiveData {
  version: string
  totalCount: number
  list: Record<string, unknown>[]
  changed: Record<string, unknown>[]
  size: number
  member: Record<string, unknown> | null
}

export interface LiveEvent {
  id: number
  event: string
  data: LiveData
}

/** A client of a live board, which reads as EventSource does. */
export interface LiveClient {
  /** The next event. @throws if none arrives in 10 seconds */
  next(): Promise<LiveEvent>
  /** Whether no event arrives for a while. */
  isQuiet(milliseconds?: number): Promise<boolean>
  /** Resolves when the service ends the stream. */
  ended: Promise<void>
  close(): void
}

const PATIENCE = 10_000

/** @throws with the status and the body if the response is not a stream */
export async function followLive(url: string, path: string, headers: Record<string, string>): Promise<LiveClient> {
  const leaving = new AbortController()
  const response = await fetch(`${url}${path}`, { headers, signal: leaving.signal })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  const events: LiveEvent[] = []
  let arrived = Promise.withResolvers<void>()
  const ended = read().catch(() => {})

  async function read(): Promise<void> {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      rest += decoder.decode(chunk, { stream: true })
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      events.push(...blocks.filter((block) => block.startsWith('id: ')).map(eventOf))
      arrived.resolve()
      arrived = Promise.withResolvers()
    }
  }

  async function wait(milliseconds: number): Promise<boolean> {
    const until = Date.now() + milliseconds
    while (events.length === 0 && Date.now() < until)
      await Promise.race([arrived.promise, sleep(until - Date.now(), undefined, { ref: false })])
    return events.length > 0
  }

  return {
    async next() {
      if (!(await wait(PATIENCE))) throw new Error(`no event in ${PATIENCE} ms`)
      return events.shift() as LiveEvent
    },
    isQuiet: async (milliseconds = 500) => !(await wait(milliseconds)),
    ended,
    close: () => leaving.abort(),
  }
}

export function eventOf(block: string): LiveEvent {
  const { id, event, data } = /^id: (?<id>\d+)\nevent: (?<event>\w+)\ndata: (?<data>.*)$/.exec(block)?.groups ?? {}
  return { id: Number(id), event: event ?? '', data: JSON.parse(data ?? '') as LiveData }
}

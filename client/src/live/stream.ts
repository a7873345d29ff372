import { invalidResponse, QuestboardError } from '../errors.ts'
import type { Settings } from '../options.ts'
import { waitBefore } from '../retry.ts'
import { failureOf } from '../transport.ts'
import { createEventParser, type ServerEvent, type StreamMemory } from './events.ts'

/** The service sends a comment every 15 seconds. A connection without any is dead. */
const SILENCE_MS = 45_000

/**
 * The events of a stream, over as many connections as it needs. Before the first event, it retries like other methods.
 * Later it connects again until it is aborted or the service refuses it.
 */
export async function* readStream(
  settings: Settings,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void> {
  const { clock, random, retry } = settings
  const memory: StreamMemory = {}
  let opened = false
  for (let failures = 0; ;) {
    let wait: number | undefined
    try {
      for await (const event of connect(settings, path, memory, signal)) {
        failures = 0
        opened = true
        yield event
      }
      wait = memory.retryMs ?? retry.firstWaitMs
    } catch (error) {
      signal?.throwIfAborted()
      const limits = opened ? { ...retry, retries: Infinity } : retry
      wait = waitBefore(++failures, error, { retry: limits, random, lostConnections: true })
      if (wait === undefined) throw error
    }
    await clock.sleep(wait, signal)
  }
}

/** One connection. @throws QuestboardError if it is refused or lost; the signal's reason if aborted */
async function* connect(
  { fetch, url, headers, accessToken, timeoutMs }: Settings,
  path: string,
  memory: StreamMemory,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void> {
  const token = await accessToken()
  const leaving = new AbortController()
  const either = signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal
  const address = url.replace(/query$/, path)
  let timer: ReturnType<typeof setTimeout> | undefined
  const expect = (milliseconds: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => leaving.abort(), milliseconds)
  }
  try {
    expect(timeoutMs)
    const response = await fetch(address, {
      method: 'GET',
      headers: {
        ...headers,
        accept: 'text/event-stream',
        ...(token === undefined ? {} : { 'access-token': token }),
        ...(memory.lastId === undefined ? {} : { 'last-event-id': memory.lastId }),
      },
      redirect: 'manual',
      signal: either,
    })
    if (!response.ok) throw failureOf(response, await response.text())
    if (!response.body || !/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? ''))
      throw invalidResponse('The response is not a stream of events', { httpStatus: response.status })
    const parser = createEventParser(memory)
    const decoder = new TextDecoder()
    const reader = response.body.getReader()
    for (;;) {
      expect(SILENCE_MS)
      const { done, value } = await reader.read()
      // The caller can take its time with an event.
      clearTimeout(timer)
      if (done) return
      yield* parser.feed(decoder.decode(value, { stream: true }))
    }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof QuestboardError) throw cause
    throw new QuestboardError(`${address} could not be reached`, { code: 'NETWORK_ERROR', category: 'CLIENT', cause })
  } finally {
    clearTimeout(timer)
    leaving.abort()
  }
}

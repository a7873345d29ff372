import { createCache } from './cache.ts'
import type { ResultOf, VariablesOf } from './document-types.ts'
import { notFound } from './errors.ts'
import type { CacheTimes, RequestOptions, Settings } from './options.ts'
import { withRetries } from './retry.ts'
import { sendQuery, type QueryBody } from './transport.ts'

/** Sends requests with retries and caching. */
export interface Connection {
  settings: Settings
  /** Sends a document of this client. */
  ask<const Text extends string>(
    kind: keyof CacheTimes,
    document: Text,
    variables: VariablesOf<Text>,
    options: RequestOptions | undefined,
  ): Promise<ResultOf<Text>>
  send(question: QueryBody, lifetimeMs: number, options: RequestOptions | undefined): Promise<unknown>
}

export function createConnection(settings: Settings): Connection {
  const cache = createCache(settings)
  const send: Connection['send'] = async (question, lifetimeMs, options) => {
    const token = await settings.accessToken()
    const load = () =>
      withRetries(settings, () => sendQuery(settings, question, token, options?.signal), options?.signal)
    return cache.get(JSON.stringify([token, question]), lifetimeMs, load, options)
  }
  return {
    settings,
    send,
    ask: async (kind, query, variables, options) =>
      (await send({ query, variables }, settings.cache[kind], options)) as ResultOf<typeof query>,
  }
}

/** Servers may return null without an error. @throws QuestboardError NOT_FOUND */
export function found<Value>(value: Value | null | undefined, message: string): Value {
  if (value === null || value === undefined) throw notFound(message)
  return value
}

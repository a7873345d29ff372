import { createCache } from './cache.ts'
import type { ResultOf, VariablesOf } from './document-types.ts'
import { notFound } from './errors.ts'
import type { CacheTimes, RequestOptions, Settings } from './options.ts'
import { withRetries } from './retry.ts'
import { ask, type Question } from './transport.ts'

/** Asks the service, with retries, and with the cache where a lifetime says so. */
export interface Connection {
  settings: Settings
  /** A document of this client's own. */
  ask<const Text extends string>(
    kind: keyof CacheTimes,
    document: Text,
    variables: VariablesOf<Text>,
    options: RequestOptions | undefined,
  ): Promise<ResultOf<Text>>
  /** Any document. */
  send(question: Question, lifetimeMs: number, options: RequestOptions | undefined): Promise<unknown>
}

export function createConnection(settings: Settings): Connection {
  const cache = createCache(settings)
  const send: Connection['send'] = async (question, lifetimeMs, options) => {
    const token = await settings.accessToken()
    const load = () => withRetries(settings, () => ask(settings, question, token, options?.signal), options?.signal)
    return cache.get(JSON.stringify([token, question]), lifetimeMs, load, options)
  }
  return {
    settings,
    send,
    ask: async (kind, query, variables, options) =>
      (await send({ query, variables }, settings.cache[kind], options)) as ResultOf<typeof query>,
  }
}

/** Servers may answer null without an error. @throws QuestboardError NOT_FOUND */
export function found<Value>(value: Value | null | undefined, message: string): Value {
  if (value === null || value === undefined) throw notFound(message)
  return value
}

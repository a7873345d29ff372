import type { RequestOptions, Settings } from './options.ts'

/** An LRU cache of responses. */
export interface Cache {
  /**
   * Returns the cached response if it is younger than `lifetimeMs`, else loads a new one. Concurrent equal requests are
   * sent once, except those with an abort signal. Each caller gets its own copy.
   */
  get<Answer>(
    key: string,
    lifetimeMs: number,
    load: () => Promise<Answer>,
    options: RequestOptions | undefined,
  ): Promise<Answer>
}

interface Entry {
  until: number
  answer: Promise<unknown>
  isThere?: boolean
}

export function createCache({ clock, cacheEntries }: Pick<Settings, 'clock' | 'cacheEntries'>): Cache {
  const entries = new Map<string, Entry>()

  function keep(key: string, entry: Entry): void {
    entries.delete(key)
    entries.set(key, entry)
    for (const oldest of entries.keys()) {
      if (entries.size <= cacheEntries) break
      entries.delete(oldest)
    }
  }

  return {
    async get<Answer>(
      key: string,
      lifetimeMs: number,
      load: () => Promise<Answer>,
      { fresh, signal }: RequestOptions = {},
    ) {
      if (lifetimeMs <= 0) return load()
      const cached = fresh ? undefined : entries.get(key)
      const usable = cached && clock.now() < cached.until && (cached.isThere || !signal)
      const entry: Entry = usable ? cached : { until: clock.now() + lifetimeMs, answer: load() }
      if (!signal) keep(key, entry)
      try {
        const answer = (await entry.answer) as Answer
        entry.isThere = true
        if (signal) keep(key, entry)
        return structuredClone(answer)
      } catch (error) {
        if (entries.get(key) === entry) entries.delete(key)
        throw error
      }
    },
  }
}

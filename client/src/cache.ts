import type { RequestOptions, Settings } from './options.ts'

/** Answers of recent requests, the one used longest ago leaving first. */
export interface Cache {
  /**
   * The cached answer, if it is younger than `lifetimeMs`, else a new one. The same question asked twice at a time is
   * sent once, except for callers that may abort theirs. Each caller gets a copy of its own.
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

import { overloaded } from './ingest-error.ts'

/** Lets so many pieces of work run at the same time and so many more wait; the rest is refused at once. */
export interface Slots {
  /** @throws UNAVAILABLE when there is no room to wait */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createSlots(running: number, waiting: number): Slots {
  const queue: (() => void)[] = []
  let free = running
  return {
    async run(work) {
      if (free > 0) free--
      else if (queue.length >= waiting) throw overloaded()
      else await new Promise<void>((resolve) => queue.push(resolve))
      try {
        return await work()
      } finally {
        const next = queue.shift()
        if (next) next()
        else free++
      }
    },
  }
}

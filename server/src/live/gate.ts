import { overloaded } from '../errors.ts'

/** Runs a task when it has its turn. @throws UNAVAILABLE if too many wait */
export type Gate = <T>(task: () => Promise<T>) => Promise<T>

export function createGate(maxRunning: number, maxWaiting: number): Gate {
  const waiting: (() => void)[] = []
  let running = 0
  return async (task) => {
    if (running >= maxRunning) {
      if (waiting.length >= maxWaiting) throw overloaded('worker full')
      // The previous task passes its turn to this one.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

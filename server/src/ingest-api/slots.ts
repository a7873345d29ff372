import { overloaded, tooManyAtOnce } from './ingest-error.ts'

/** Limits running and waiting work; further work is rejected at once. */
export interface Slots {
  /**
   * @param who the sender; limits how many slots one sender can use
   * @throws UNAVAILABLE if the queue is full or the wait too long; QUOTA_EXCEEDED if the sender's part of the queue is
   * full
   */
  run<T>(who: string, work: () => Promise<T>): Promise<T>
}

export interface SlotLimits {
  running: number
  waiting: number
  /** The limits of one sender. */
  ofOne: { running: number; waiting: number }
  /** The maximum wait in milliseconds; default: unlimited. */
  patience?: number
}

interface Waiting {
  who: string
  start: () => void
}

export function createSlots({ running, waiting, ofOne, patience }: SlotLimits): Slots {
  const queue: Waiting[] = []
  const atWork = new Map<string, number>()
  let free = running

  const mayRun = (who: string) => free > 0 && (atWork.get(who) ?? 0) < ofOne.running

  function take(who: string): void {
    free--
    atWork.set(who, (atWork.get(who) ?? 0) + 1)
  }

  function giveBack(who: string): void {
    free++
    const left = (atWork.get(who) ?? 1) - 1
    if (left === 0) atWork.delete(who)
    else atWork.set(who, left)
    const at = queue.findIndex((next) => mayRun(next.who))
    if (at !== -1) queue.splice(at, 1)[0]?.start()
  }

  function wait(who: string): Promise<void> {
    if (queue.length >= waiting) throw overloaded()
    const own = queue.filter((other) => other.who === who).length
    if (own >= ofOne.waiting) throw tooManyAtOnce(`This token already has ${own} waiting requests of this kind`)
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.splice(queue.indexOf(entry), 1)
        reject(overloaded())
      }
      const timer = patience === undefined ? undefined : setTimeout(giveUp, patience)
      const entry: Waiting = {
        who,
        start: () => {
          clearTimeout(timer)
          take(who)
          resolve()
        },
      }
      queue.push(entry)
    })
  }

  return {
    async run(who, work) {
      if (mayRun(who)) take(who)
      else await wait(who)
      try {
        return await work()
      } finally {
        giveBack(who)
      }
    },
  }
}

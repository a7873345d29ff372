import { overloaded, tooManyAtOnce } from './ingest-error.ts'

/** Limits running and waiting work; further work is rejected at once. */
export interface Slots {
  /**
   * @param sender limits how many slots one sender can use
   * @throws UNAVAILABLE if the queue is full or the wait too long; QUOTA_EXCEEDED if the sender's part of the queue is
   * full
   */
  run<T>(sender: string, work: () => Promise<T>): Promise<T>
}

export interface SlotLimits {
  running: number
  waiting: number
  /** The limits of one sender. */
  ofOne: { running: number; waiting: number }
  /** The maximum wait in milliseconds; default: unlimited. */
  maxWait?: number
}

interface Waiting {
  sender: string
  start: () => void
}

export function createSlots({ running, waiting, ofOne, maxWait }: SlotLimits): Slots {
  const queue: Waiting[] = []
  const atWork = new Map<string, number>()
  let free = running

  const mayRun = (sender: string) => free > 0 && (atWork.get(sender) ?? 0) < ofOne.running

  function take(sender: string): void {
    free--
    atWork.set(sender, (atWork.get(sender) ?? 0) + 1)
  }

  function giveBack(sender: string): void {
    free++
    const left = (atWork.get(sender) ?? 1) - 1
    if (left === 0) atWork.delete(sender)
    else atWork.set(sender, left)
    const at = queue.findIndex((next) => mayRun(next.sender))
    if (at !== -1) queue.splice(at, 1)[0]?.start()
  }

  function wait(sender: string): Promise<void> {
    if (queue.length >= waiting) throw overloaded()
    const own = queue.filter((other) => other.sender === sender).length
    if (own >= ofOne.waiting) throw tooManyAtOnce(`This token already has ${own} waiting requests of this kind`)
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.splice(queue.indexOf(entry), 1)
        reject(overloaded())
      }
      const timer = maxWait === undefined ? undefined : setTimeout(giveUp, maxWait)
      const entry: Waiting = {
        sender,
        start: () => {
          clearTimeout(timer)
          take(sender)
          resolve()
        },
      }
      queue.push(entry)
    })
  }

  return {
    async run(sender, work) {
      if (mayRun(sender)) take(sender)
      else await wait(sender)
      try {
        return await work()
      } finally {
        giveBack(sender)
      }
    },
  }
}

import { SECOND } from '../clock.ts'
import type { ToWorker } from './messages.ts'

/** Whether more connections come than can be handed over: then each worker listens itself. */
export interface Crowd {
  /** Many wait to be handed over. */
  gathers: () => void
  /** So many have come to a worker. */
  came: (count: number) => void
  /** What a worker has to know that begins now. */
  readonly news: ToWorker | undefined
  end: () => void
}

export interface CrowdOptions {
  tell: (message: ToWorker) => void
  at: () => Extract<ToWorker, { kind: 'crowd' }>['at'] | undefined
  /** Milliseconds for which it has to be quiet. */
  period?: number
}

/** Fewer a second are handed over with ease, and hardly one is on its way while the workers' sockets are closed. */
const FEW_A_SECOND = 20

/** The workers open their listening sockets together and close them together, so that none has more than its part. */
export function watchCrowd({ tell, at, period = 30 * SECOND }: CrowdOptions): Crowd {
  let news: ToWorker | undefined
  let many = false
  let count = 0
  let looking: NodeJS.Timeout | undefined

  const end = (): void => {
    clearInterval(looking)
    news = undefined
  }

  const look = (): void => {
    if (!many && count < (FEW_A_SECOND * period) / SECOND) {
      end()
      tell({ kind: 'quiet' })
    }
    many = false
    count = 0
  }

  return {
    gathers() {
      const address = at()
      many = true
      if (news || !address) return
      news = { kind: 'crowd', at: address }
      count = 0
      looking = setInterval(look, period).unref()
      tell(news)
    },
    came: (more) => void (count += more),
    get news() {
      return news
    },
    end,
  }
}

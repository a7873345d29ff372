import { HEARTBEAT_INTERVAL, LONGEST_STANDSTILL, LONGEST_STANDSTILL_IN_SURGE } from '../lifetimes.ts'

/** Of several processes. */
export interface Heartbeats {
  /** Watches one from now on. */
  watch: (process: Watched) => Heartbeat
}

export interface Watched {
  ask: () => void
  /** Is called once, when it has said nothing for too long. */
  onStandstill: () => void
}

export interface Heartbeat {
  /** It has answered. */
  answered(): void
  /** Nobody needs to know any longer. */
  end(): void
}

export interface HeartbeatOptions {
  /** Whether one that stands still is given connections all the same. */
  surging: () => boolean
  /** Milliseconds from one question to the next. */
  interval?: number
  /** Silence for longer than these milliseconds is too long. */
  longest?: number
  /** And this in a surge, as long as others answer: when none does, it is not that process but the machine. */
  longestInSurge?: number
}

/**
 * Watches whether processes still hear: one whose event loop stands still answers nobody, and does not end either.
 * What counts are questions without an answer, not the time: when this process stands still itself, or the whole
 * machine sleeps, the answers have yet to be read.
 */
export function watchHeartbeats({
  surging,
  interval = HEARTBEAT_INTERVAL,
  longest = LONGEST_STANDSTILL,
  longestInSurge = LONGEST_STANDSTILL_IN_SURGE,
}: HeartbeatOptions): Heartbeats {
  const all = new Set<{ unanswered: number }>()
  const othersAnswer = (one: object): boolean => [...all].some((other) => other !== one && other.unanswered <= 1)
  return {
    watch({ ask, onStandstill }) {
      const one = { unanswered: 0 }
      all.add(one)
      const asking = setInterval(() => {
        const most = surging() && othersAnswer(one) ? longestInSurge : longest
        if (one.unanswered * interval < most) {
          one.unanswered++
          return ask()
        }
        clearInterval(asking)
        onStandstill()
      }, interval)
      return {
        answered() {
          one.unanswered = 0
        },
        end() {
          clearInterval(asking)
          all.delete(one)
        },
      }
    },
  }
}

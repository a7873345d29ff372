import { HEARTBEAT_INTERVAL, LONGEST_STANDSTILL, LONGEST_STANDSTILL_ALONE } from '../lifetimes.ts'

/** Of several processes. */
export interface Heartbeats {
  /** Watches one from now on. */
  watch: (process: Watched) => Heartbeat
}

export interface Watched {
  ask: () => void
  /** Is called once, when it has not responded for too long. */
  onStandstill: () => void
}

export interface Heartbeat {
  /** It has responded. */
  answered(): void
  end(): void
}

export interface HeartbeatOptions {
  /** Milliseconds from one question to the next. */
  interval?: number
  /** The longest silence in milliseconds, as long as another process responds. */
  longest?: number
  /** The longest silence when no other process responds: then the machine may be the reason. */
  longestAlone?: number
}

/**
 * Finds processes whose event loop is blocked. They still receive connections, and do not end. Unanswered questions
 * count, not time: if this process or the whole machine was suspended, responses may wait to be read.
 */
export function watchHeartbeats({
  interval = HEARTBEAT_INTERVAL,
  longest = LONGEST_STANDSTILL,
  longestAlone = LONGEST_STANDSTILL_ALONE,
}: HeartbeatOptions = {}): Heartbeats {
  const all = new Set<{ unanswered: number }>()
  const othersAnswer = (one: object): boolean => [...all].some((other) => other !== one && other.unanswered <= 1)
  return {
    watch({ ask, onStandstill }) {
      const one = { unanswered: 0 }
      all.add(one)
      const asking = setInterval(() => {
        if (one.unanswered * interval < (othersAnswer(one) ? longest : longestAlone)) {
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

import { HEARTBEAT_INTERVAL, MAX_UNRESPONSIVE, MAX_UNRESPONSIVE_ALONE } from '../lifetimes.ts'

/** Watches several processes. */
export interface Heartbeats {
  watch: (process: Watched) => Heartbeat
}

export interface Watched {
  ask: () => void
  /** Called once if the process has not responded for too long. */
  onUnresponsive: () => void
}

export interface Heartbeat {
  /** Reports a response of the process. */
  answered(): void
  end(): void
}

export interface HeartbeatOptions {
  /** Milliseconds between two pings. */
  interval?: number
  /** A process without a response for this many milliseconds counts as blocked, if another process responds. */
  maxSilence?: number
  /** The same if no other process responds, because the machine may be the cause. */
  maxSilenceAlone?: number
}

/**
 * Detects processes whose event loop is blocked. They still receive connections, and do not exit. This counts pings
 * without a response, not time, because after a suspension of the machine responses may wait to be read.
 */
export function watchHeartbeats({
  interval = HEARTBEAT_INTERVAL,
  maxSilence = MAX_UNRESPONSIVE,
  maxSilenceAlone = MAX_UNRESPONSIVE_ALONE,
}: HeartbeatOptions = {}): Heartbeats {
  const all = new Set<{ unanswered: number }>()
  const othersAnswer = (one: object): boolean => [...all].some((other) => other !== one && other.unanswered <= 1)
  return {
    watch({ ask, onUnresponsive }) {
      const one = { unanswered: 0 }
      all.add(one)
      const timer = setInterval(() => {
        if (one.unanswered * interval < (othersAnswer(one) ? maxSilence : maxSilenceAlone)) {
          one.unanswered++
          return ask()
        }
        clearInterval(timer)
        onUnresponsive()
      }, interval)
      return {
        answered() {
          one.unanswered = 0
        },
        end() {
          clearInterval(timer)
          all.delete(one)
        },
      }
    },
  }
}

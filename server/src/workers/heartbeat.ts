import { HEARTBEAT_INTERVAL, LONGEST_STANDSTILL } from '../lifetimes.ts'

export interface Heartbeat {
  /** It has answered. */
  answered(): void
  /** Nobody needs to know any longer. */
  end(): void
}

export interface HeartbeatOptions {
  ask: () => void
  /** Is called once, when it has said nothing for too long. */
  onStandstill: () => void
  /** Milliseconds from one question to the next. */
  interval?: number
  /** Silence for longer than these milliseconds is too long. */
  longest?: number
}

/**
 * Watches whether a process still hears: one whose event loop stands still answers nobody, and does not end either.
 * What counts are questions without an answer, not the time: when this process stands still itself, or the whole
 * machine sleeps, the answers have yet to be read.
 */
export function watchHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { ask, onStandstill, interval = HEARTBEAT_INTERVAL, longest = LONGEST_STANDSTILL } = options
  let unanswered = 0
  const asking = setInterval(() => {
    if (unanswered * interval < longest) {
      unanswered++
      return ask()
    }
    clearInterval(asking)
    onStandstill()
  }, interval)
  return {
    answered() {
      unanswered = 0
    },
    end: () => clearInterval(asking),
  }
}

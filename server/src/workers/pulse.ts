import { LONGEST_STANDSTILL, PULSE_INTERVAL } from '../lifetimes.ts'

export interface Pulse {
  /** It has answered. */
  felt(): void
  /** Nobody needs to know any longer. */
  end(): void
}

export interface PulseOptions {
  ask: () => void
  /** Is called once, when it has said nothing for too long. */
  stopped: () => void
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
export function watchPulse(options: PulseOptions): Pulse {
  const { ask, stopped, interval = PULSE_INTERVAL, longest = LONGEST_STANDSTILL } = options
  let unanswered = 0
  const asking = setInterval(() => {
    if (unanswered * interval < longest) {
      unanswered++
      return ask()
    }
    clearInterval(asking)
    stopped()
  }, interval)
  return {
    felt() {
      unanswered = 0
    },
    end: () => clearInterval(asking),
  }
}

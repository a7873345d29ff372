import { once } from 'node:events'
import type { MonotonicClock } from '../clock.ts'
import { SIGNAL_ECHO, STOP_SIGNALS } from '../lifetimes.ts'

/**
 * Resolves with the first signal of STOP_SIGNALS. A second signal exits at once, which is safe because PostgreSQL has
 * stored everything that was acknowledged.
 */
export async function stopSignal(clock: MonotonicClock): Promise<NodeJS.Signals> {
  const first = await Promise.race(
    STOP_SIGNALS.map(async (signal) => {
      await once(process, signal)
      return signal
    }),
  )
  // A terminal signals the whole process group, and npm forwards its own signal: ignore such duplicates.
  const echoEnds = clock.monotonic() + SIGNAL_ECHO
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      if (clock.monotonic() > echoEnds) process.exit(1)
    })
  ignoreClosedTerminal()
  return first
}

/** Writes to a closed terminal fail; the service must still stop in order. */
function ignoreClosedTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

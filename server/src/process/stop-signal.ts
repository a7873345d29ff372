import { once } from 'node:events'
import { SIGNAL_ECHO, STOP_SIGNALS } from '../lifetimes.ts'

/**
 * Resolves with the first signal of STOP_SIGNALS. A second signal does not wait: it ends the process, because PostgreSQL
 * keeps what was acknowledged.
 */
export async function stopSignal(): Promise<NodeJS.Signals> {
  const first = await Promise.race(
    STOP_SIGNALS.map(async (signal) => {
      await once(process, signal)
      return signal
    }),
  )
  // A terminal signals the whole group of processes, and npm passes on its own signal: such an echo is no second one.
  const echoEnds = performance.now() + SIGNAL_ECHO
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      if (performance.now() > echoEnds) process.exit(1)
    })
  ignoreClosedTerminal()
  return first
}

/** A write to a closed terminal fails. The service stops in order all the same. */
function ignoreClosedTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

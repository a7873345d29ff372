import { STOP_SIGNALS } from '../lifetimes.ts'

/** A signal stopped the command in order. */
export class InterruptedError extends Error {
  override name = 'InterruptedError'
}

/**
 * Runs work that a stop signal aborts, so that connections close and the embedded server stops.
 * @throws InterruptedError with the message if the work fails after a stop signal
 */
export async function runUntilStopped<T>(message: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  const stop = () => stopping.abort(new InterruptedError(message))
  for (const signal of STOP_SIGNALS) process.once(signal, stop)
  try {
    return await work(stopping.signal)
  } catch (error) {
    stopping.signal.throwIfAborted()
    throw error
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop)
  }
}

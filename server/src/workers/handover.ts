import type { Worker } from 'node:cluster'

/**
 * A connection that was on its way to a worker when that ended would stay open and unanswered for ever: node:cluster waits
 * for the worker to say that it has it, and hands a worker one at a time.
 */
export function closeWhatItNeverTook({ process }: Worker): void {
  const send = process.send.bind(process) as (...values: unknown[]) => boolean
  let onItsWay: { close(): void } | undefined
  process.send = (...values: unknown[]) => {
    const [, handle] = values
    if (handle) onItsWay = handle as { close(): void }
    return send(...values)
  }
  // Closing what was taken, and so is closed here, does nothing.
  process.once('exit', () => onItsWay?.close())
}

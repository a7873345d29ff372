/**
 * Runs work at the end of a turn of the event loop, so that requests that arrive together share lookups and messages.
 * This adds no delay: a turn ends when no more input is ready.
 */

type Work = () => void

const lookups: Work[] = []
const messages: Work[] = []
let scheduled = false

/** Runs work that adds reads. The work must not throw. */
export function atEndOfTurn(work: Work): void {
  lookups.push(work)
  schedule()
}

/** Runs work that sends reads, after all work of `atEndOfTurn`. The work must not throw. */
export function afterEndOfTurn(work: Work): void {
  messages.push(work)
  schedule()
}

function schedule(): void {
  if (scheduled) return
  scheduled = true
  setImmediate(endTurn)
}

/** Work may add work to the same turn, so the lists grow while they are read. */
function endTurn(): void {
  try {
    for (let i = 0; i < lookups.length; i++) attempt(lookups[i] as Work)
    for (let i = 0; i < messages.length; i++) attempt(messages[i] as Work)
  } finally {
    lookups.length = 0
    messages.length = 0
    scheduled = false
  }
}

/** An exception must not stop the work of others. */
function attempt(work: Work): void {
  try {
    work()
  } catch (error) {
    process.nextTick(() => {
      throw error
    })
  }
}

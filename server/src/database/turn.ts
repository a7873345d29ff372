/**
 * Work put off to the end of the event loop's turn, so that what arrives together is done together: one look-up for many
 * requests, one message for many statements. No time passes: a turn ends when nothing more is there to read.
 */

type Work = () => void

const questions: Work[] = []
const writes: Work[] = []
let scheduled = false

/** Asks the database for what the turn has collected. The work must not throw. */
export function atTurnEnd(work: Work): void {
  questions.push(work)
  schedule()
}

/** Behind all of `atTurnEnd`: sends what the turn has asked. The work must not throw. */
export function afterTurn(work: Work): void {
  writes.push(work)
  schedule()
}

function schedule(): void {
  if (scheduled) return
  scheduled = true
  setImmediate(endTurn)
}

/** What the work itself puts off still belongs to the turn, so the lengths are looked at anew. */
function endTurn(): void {
  try {
    for (let i = 0; i < questions.length; i++) attempt(questions[i] as Work)
    for (let i = 0; i < writes.length; i++) attempt(writes[i] as Work)
  } finally {
    questions.length = 0
    writes.length = 0
    scheduled = false
  }
}

/** A mistake in one piece of work is told by itself, and does not keep the others from being done. */
function attempt(work: Work): void {
  try {
    work()
  } catch (error) {
    process.nextTick(() => {
      throw error
    })
  }
}

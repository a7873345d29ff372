import { crc32 } from 'node:zlib'
import type { Clock } from '../clock.ts'
import type { Reader } from '../database/statement.ts'
import type { Asked } from '../graphql/asked.ts'
import { type Ground, stillStand } from '../graphql/grounds.ts'
import { createRecent } from '../cache/recent-cache.ts'

/** An answer that was given before. Who may have it is decided anew each time. */
export interface Answered {
  /** Of its operation only what decides who may have it: a compiled document is far larger than an answer. */
  operation: Asked
  body: string | Buffer
  grounds: readonly Ground[]
}

/**
 * Answers by the text of the request, bounded in memory. None is given again before the database has been asked whether
 * what it rests on is unchanged, which costs one small statement for all requests of a turn; so an answer is never older
 * than the request, on whatever instance the change was made.
 */
export interface Answers {
  /** The answer that this request had, if it would be the same now. */
  recall(request: string): Promise<Answered | undefined>
  /** Keeps an answer when the request has been seen before: most are asked once. */
  keep(request: string, answered: () => Pick<Answered, 'operation' | 'grounds'> & { body: string }): void
}

const CAPACITY_BYTES = 16 * 1024 * 1024
/** What an entry takes beside its texts. */
const ENTRY_BYTES = 2_000
/** Up to here a text is sent in less time than bytes, which leave apart from the head. */
const SHORT = 1_000
const SEEN_SLOTS = 65_536

export function createAnswers(reader: Reader, clock: Clock): Answers {
  const answers = createRecent<Answered>(
    CAPACITY_BYTES,
    (request, { body }) => request.length + body.length + ENTRY_BYTES,
  )
  const seen = new Uint32Array(SEEN_SLOTS)

  return {
    async recall(request) {
      const known = answers.get(request)
      if (!known) return undefined
      // A database that cannot be asked refuses the request where it is executed.
      const stands = await stillStand(known.grounds, reader, clock.now()).catch(() => false)
      if (stands) return known
      answers.delete(request)
      return undefined
    },
    keep(request, answered) {
      const print = crc32(request)
      const slot = print % SEEN_SLOTS
      if (seen[slot] === print) {
        const { body, ...known } = answered()
        answers.set(request, { ...known, body: body.length <= SHORT ? body : Buffer.from(body) })
      } else seen[slot] = print
    },
  }
}

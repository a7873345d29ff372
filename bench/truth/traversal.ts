import type { AwardLog } from './award-log.ts'

export interface ShownRank {
  rank: number
  points: number
  address: string
}

/** A whole board as one reader saw it, and between which batches its first page was read. */
export interface Traversal {
  list: readonly ShownRank[]
  totals: readonly number[]
  /** Batches that were acknowledged before the first page was asked for. */
  from: number
  /** Batches that had been sent when it had come. */
  to: number
}

export interface Mistakes {
  skipped: number
  repeated: number
  inconsistent: number
}

export const NO_MISTAKES: Mistakes = { skipped: 0, repeated: 0, inconsistent: 0 }

export function add(a: Mistakes, b: Mistakes): Mistakes {
  return {
    skipped: a.skipped + b.skipped,
    repeated: a.repeated + b.repeated,
    inconsistent: a.inconsistent + b.inconsistent,
  }
}

/**
 * Compares the pages of a reader with each board that was current during the first page, and returns the mistakes
 * against the best match. A rank is inconsistent if the rank, its points, its place or the total of its page differ
 * from the board.
 */
export function mistakesOf(traversal: Traversal, log: AwardLog): Mistakes {
  let best: Mistakes | undefined
  for (let batches = traversal.from; batches <= traversal.to; batches++) {
    const found = compare(traversal, log.boardAfter(batches))
    if (!best || weight(found) < weight(best)) best = found
    if (weight(best) === 0) break
  }
  return best ?? NO_MISTAKES
}

function weight({ skipped, repeated, inconsistent }: Mistakes): number {
  return skipped + repeated + inconsistent
}

function compare({ list, totals }: Traversal, board: ReadonlyMap<string, number>): Mistakes {
  const seen = new Set<string>()
  let repeated = 0
  let inconsistent = totals.filter((total) => total !== board.size).length
  let previous: ShownRank | undefined
  for (const [index, shown] of list.entries()) {
    if (seen.has(shown.address)) repeated++
    seen.add(shown.address)
    const rank = previous?.points === shown.points ? previous.rank : index + 1
    const inOrder =
      !previous ||
      shown.points < previous.points ||
      (shown.points === previous.points && shown.address > previous.address)
    if (board.get(shown.address) !== shown.points || shown.rank !== rank || !inOrder) inconsistent++
    previous = shown
  }
  const skipped = [...board.keys()].filter((address) => !seen.has(address)).length
  return { skipped, repeated, inconsistent }
}

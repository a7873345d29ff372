import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { SERIALIZATION_FAILURE } from '../database/sql-states.ts'
import {
  changesSince,
  type CountedBoard,
  type CountNode,
  countsInRange,
  currentVersion,
  deleteChanges,
  dueBoards,
  histogram,
  holdCounts,
  readNodes,
  registerBoard,
  replaceNodes,
  storeCounted,
  storeNodes,
} from './board-counts.queries.ts'

/*
 * To read ranks fast, a large board has a tree of member counts. The tree covers all 32-bit points. It has four levels,
 * one for each byte of the points. Each node has 256 slots, one for each value of its byte. For each slot, the node
 * stores the number of members in this slot and in its higher slots.
 */

const LEVELS = 4
const SLOTS = 256
/** Added to points, so that they become unsigned 32-bit numbers in the same order. */
const BIAS = 2 ** 31
/** Ranges with more members than this get a node. Smaller ranges are counted when a rank is read. */
const MAX_COUNTED = 512

const prefixAt = (level: number, biased: number) => Math.floor(biased / 2 ** (32 - 8 * level))
const slotAt = (level: number, biased: number) => prefixAt(level + 1, biased) % SLOTS

/**
 * Updates the counts of changed boards, and creates missing trees of large boards. @returns the number of counted boards
 */
export async function countChanges(kysely: Kysely<DB>): Promise<number> {
  let counted = 0
  for (const board of await dueBoards(kysely)) if (await countBoard(kysely, board)) counted++
  return counted
}

/**
 * Creates or updates the tree of a board, and deletes the recorded changes that the tree includes. A small board
 * without a tree does not get a tree; only its recorded changes are deleted.
 * @returns false if another instance is counting the board or has just counted it, or if the board was deleted
 */
async function countBoard(kysely: Kysely<DB>, board: CountedBoard): Promise<boolean> {
  if (!board.registered) await registerBoard(kysely, board)
  try {
    return await kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        const held = await holdCounts(trx, board)
        if (!held) return false
        // In `repeatable read`, all statements of the transaction read the same version of the board.
        const version = await currentVersion(trx, board.spaceId)
        if (held.version !== null) await addChanges(trx, board, await changesSince(trx, board, held.version))
        else if (board.large) await replaceNodes(trx, board, nodesOf(histogram(trx, board)))
        if (board.large || held.version !== null) await storeCounted(trx, board, version)
        await deleteChanges(trx, board, version)
        return true
      })
  } catch (error) {
    // Another instance has counted the board since this transaction started, or the board was deleted.
    if ((error as { code?: unknown }).code === SERIALIZATION_FAILURE) return false
    throw error
  }
}

interface Counter {
  prefix: number
  slots: number[]
  total: number
}

/** Generates the nodes of a tree. @param points numbers of members by points, in ascending order of points */
async function* nodesOf(points: AsyncIterable<{ points: number; members: number }>): AsyncGenerator<CountNode> {
  const open: (Counter | undefined)[] = []
  const close = function* (level: number): Generator<CountNode> {
    const counter = open[level]
    if (!counter) return
    yield* close(level + 1)
    if (level === 0 || counter.total > MAX_COUNTED)
      yield { level, prefix: counter.prefix, counts: fromHighest(counter.slots) }
    open[level] = undefined
  }
  for await (const { points: value, members } of points) {
    const biased = value + BIAS
    for (let level = LEVELS - 1; level >= 0; level--)
      if (open[level] && open[level]?.prefix !== prefixAt(level, biased)) yield* close(level)
    for (let level = 0; level < LEVELS; level++) {
      const counter = (open[level] ??= {
        prefix: prefixAt(level, biased),
        slots: Array<number>(SLOTS).fill(0),
        total: 0,
      })
      counter.slots[slotAt(level, biased)]! += members
      counter.total += members
    }
  }
  yield* close(0)
}

/** Returns for each slot the number of members in this slot and all higher slots, followed by a 0. */
function fromHighest(slots: readonly number[]): number[] {
  const counts = Array<number>(SLOTS + 1).fill(0)
  for (let slot = SLOTS - 1; slot >= 0; slot--) counts[slot] = counts[slot + 1]! + slots[slot]!
  return counts
}

/** Adds changes to the nodes whose ranges contain them. Each node is written once. */
async function addChanges(
  trx: Kysely<DB>,
  board: CountedBoard,
  deltas: readonly { points: number; members: number }[],
): Promise<void> {
  let remaining = deltas
    .filter(({ members }) => members !== 0)
    .map(({ points, members }) => ({ biased: points + BIAS, members }))
  for (let level = 0; level < LEVELS && remaining.length > 0; level++) {
    const byPrefix = Map.groupBy(remaining, ({ biased }) => prefixAt(level, biased))
    const known = new Map((await readNodes(trx, board, level, [...byPrefix.keys()])).map((node) => [node.prefix, node]))
    const changed: CountNode[] = []
    for (const [prefix, own] of byPrefix) {
      let node = known.get(prefix)
      if (node) {
        const slots = node.counts.slice(0, SLOTS).map((count, slot) => count - node!.counts[slot + 1]!)
        for (const { biased, members } of own) slots[slotAt(level, biased)]! += members
        node = { level, prefix, counts: fromHighest(slots) }
      } else {
        // A missing node is counted from the board entries, which already include the changes.
        const width = 2 ** (32 - 8 * level)
        const slots = Array<number>(SLOTS).fill(0)
        const first = prefix * width - BIAS
        for (const { slot, members } of await countsInRange(trx, board, first, first + width - 1, width / SLOTS))
          slots[slot] = members
        node = { level, prefix, counts: fromHighest(slots) }
      }
      changed.push(node)
    }
    await storeNodes(trx, board, changed)
    remaining = await changesWithNode(trx, board, level + 1, remaining, changed)
  }
}

/** Returns the changes whose node at `level` exists, or is needed because its range has become large enough. */
async function changesWithNode<T extends { biased: number }>(
  trx: Kysely<DB>,
  board: CountedBoard,
  level: number,
  changes: readonly T[],
  parents: readonly CountNode[],
): Promise<T[]> {
  if (level === LEVELS || changes.length === 0) return []
  const counts = new Map(parents.map((node) => [node.prefix, node.counts]))
  const prefixes = [...new Set(changes.map(({ biased }) => prefixAt(level, biased)))]
  const existing = new Set((await readNodes(trx, board, level, prefixes)).map(({ prefix }) => prefix))
  return changes.filter(({ biased }) => {
    const parent = counts.get(prefixAt(level - 1, biased))
    const slot = slotAt(level - 1, biased)
    const members = parent ? parent[slot]! - parent[slot + 1]! : 0
    return members > MAX_COUNTED || existing.has(prefixAt(level, biased))
  })
}

import type { Kysely } from 'kysely'
import { copyTransaction } from '../database/copy.ts'
import type { DB } from '../database/tables.ts'
import { recordReader } from './check.ts'
import { encoderOf, type Kind } from './kind.ts'
import { type Problem, Problems } from './problems.ts'
import { retryOnConflict } from './retry.queries.ts'
import type { ImportDependencies } from './run-import.ts'
import {
  analyzeStaging,
  commitDurably,
  countStaged,
  createStaging,
  deleteStaged,
  findDuplicates,
  findProblems,
  linesOfQuery,
  type StagedRule,
  stagingTarget,
} from './staging.queries.ts'

export interface ItemsReport {
  /** Of each item that was refused the first thing that is wrong with it, by its line. */
  refused: Map<number, Problem>
  /** The lines that said something new. */
  applied: Set<number>
}

/** One item with its line, which is its place in the batch from 1. */
export interface NumberedItem {
  line: number
  value: unknown
}

const DEADLOCK = '40P01'
const ATTEMPTS = 3

/**
 * Checks and stores items of a kind as importRecords does, but each by itself: those that are refused do not hold up the
 * others. What is stored is stored in one transaction, which is on the disk when this answers.
 * @param permissions rules that say what the sender may write; they come before those of the kind
 */
export async function importItems(
  { database, clock }: ImportDependencies,
  kind: Kind,
  items: readonly NumberedItem[],
  permissions: readonly StagedRule[],
): Promise<ItemsReport> {
  const problems = new Problems(Infinity)
  const read = recordReader(kind.fields, problems)
  const now = clock.now()
  const encode = encoderOf(kind, now, problems)
  const rows: string[] = []
  for (const { line, value } of items) {
    const before = problems.count
    const row = read(value, line)
    const encoded = row && encode(row)
    // A key that is no field is a problem, and yet the rest can be encoded.
    if (problems.count === before && encoded !== undefined) rows.push(encoded)
  }
  const stored = rows.length === 0 ? undefined : await storing(() => store(rows))
  await kind.afterCommit?.(database.kysely, clock)
  return {
    refused: firstByLine([...problems.first, ...(stored?.problems ?? [])]),
    applied: new Set(stored?.lines),
  }

  function store(lines: readonly string[]): Promise<{ problems: Problem[]; lines: readonly number[] }> {
    return copyTransaction(database, async ({ kysely, copy }) => {
      await commitDurably(kysely)
      await createStaging(kysely, kind)
      await copy(
        stagingTarget(kind.fields),
        (async function* () {
          yield lines.join('')
        })(),
      )
      await analyzeStaging(kysely)
      await kind.lock?.(kysely)
      const found = await takeOutBad(kysely, kind, permissions)
      if (found.length > 0 && (await countStaged(kysely)) === 0) return { problems: found, lines: [] }
      return retryOnConflict(kysely, async () => {
        await kind.beforeMerge?.(kysely)
        const news = kind.news ? await linesOfQuery(kysely, kind.news) : []
        const { lines: told } = await kind.merge(kysely, { clock, now: new Date(now) })
        return { problems: found, lines: told ?? news }
      })
    })
  }
}

/** Takes the lines that break a rule from the staging table, rule by rule, and answers what is wrong with them. */
async function takeOutBad(trx: Kysely<DB>, kind: Kind, permissions: readonly StagedRule[]): Promise<Problem[]> {
  const all: Problem[] = []
  const takeOut = async (problems: Problem[]) => {
    all.push(...problems)
    await deleteStaged(
      trx,
      problems.map(({ line }) => line),
    )
  }
  for (const rule of [...permissions, ...kind.rules]) await takeOut((await findProblems(trx, rule, null)).problems)
  if (kind.key) await takeOut((await findDuplicates(trx, kind.key, saidBefore, null)).problems)
  return all
}

/** Items are told by their places, from 0. */
const saidBefore = (first: string): string =>
  `says again what item ${Number(first) - 1} says; a key stands in a batch once`

/** Two batches that lock the same objects in other orders: one of them is told to try again, and does. */
async function storing<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: unknown }).code !== DEADLOCK || attempt === ATTEMPTS) throw error
    }
  }
}

function firstByLine(problems: readonly Problem[]): Map<number, Problem> {
  const first = new Map<number, Problem>()
  for (const problem of problems) if (!first.has(problem.line)) first.set(problem.line, problem)
  return first
}

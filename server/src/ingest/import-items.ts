import type { Kysely } from 'kysely'
import { copyTransaction } from '../database/copy.ts'
import type { DB } from '../database/tables.ts'
import { stagingOf } from '../distribution/staging.ts'
import { recordReader } from './check.ts'
import { encoderOf, type Kind } from './kind.ts'
import { type Problem, Problems } from './problems.ts'
import { retryOnConflict } from './retry.queries.ts'
import type { ImportDependencies } from './import-rows.ts'
import type { StagedRule } from './kind.ts'
import {
  commitDurably,
  countStaged,
  createStaging,
  deleteStaged,
  findDuplicates,
  findProblems,
  linesOfQuery,
  stagingTarget,
} from './staging.queries.ts'

export interface ItemsReport {
  /** The first problem of each rejected item, by line. */
  refused: Map<number, Problem>
  /** The lines that changed something. */
  applied: Set<number>
}

/** An item and its position in the batch, from 1. */
export interface NumberedItem {
  line: number
  value: unknown
}

const DEADLOCK = '40P01'
const ATTEMPTS = 3

/**
 * Validates and stores items like importRecords, but accepts or rejects each item separately. The accepted items are
 * stored in one transaction, which is on disk when this function returns.
 * @param permissions rules for the rows that the sender may write; checked before the rules of the kind
 */
export async function importItems(
  { database, clock, actor }: ImportDependencies,
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
    // An unknown key is a problem, although the other fields can be encoded.
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
      const staging = stagingOf(database, kysely)
      await createStaging(kysely, staging, kind)
      await copy(
        stagingTarget(kind.fields),
        (async function* () {
          yield lines.join('')
        })(),
      )
      await staging.analyze('staged')
      await kind.lock?.(kysely)
      const found = await takeOutBad(kysely, kind, permissions)
      if (found.length > 0 && (await countStaged(kysely)) === 0) return { problems: found, lines: [] }
      const merged = await retryOnConflict(kysely, async () => {
        await kind.beforeMerge?.(kysely)
        const query = typeof kind.news === 'function' ? await kind.news(staging) : kind.news
        const news = query ? await linesOfQuery(kysely, query) : []
        const { lines: told } = await kind.merge(kysely, { clock, now: new Date(now), staging, actor })
        return told ?? news
      })
      await staging.end()
      return { problems: found, lines: merged }
    })
  }
}

/** Deletes the lines that break a rule from the staging table, rule by rule, and returns their problems. */
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

/** Responses number items from 0. */
const saidBefore = (first: string): string =>
  `has the same key as item ${Number(first) - 1}; a key may occur once in a batch`

/** Retries after a deadlock with a batch that locks the same objects in another order. */
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

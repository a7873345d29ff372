import type { Kysely } from 'kysely'
import { canonicalHolder } from '../addresses/addresses.ts'
import { type Clock, MINUTE } from '../clock.ts'
import { copyTransaction } from '../database/copy.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { stagingOf } from '../distribution/staging.ts'
import { encoderOf } from '../ingest/kind.ts'
import { holders } from '../ingest/kinds/holders.ts'
import { describeProblem, Problems } from '../ingest/problems.ts'
import {
  type PendingList,
  createPendingLists,
  fillLists,
  abandonLists,
  lockCredentials,
  publishLists,
  touchLists,
} from '../ingest/replace-holders.queries.ts'
import { createStaging, stagingTarget } from '../ingest/staging.queries.ts'
import { applyChecksSince } from './checks.queries.ts'
import { compareLists, confirmFinished, confirmList } from './lists.queries.ts'
import type { Reading } from './reading.ts'
import { SourceError } from './source-error.ts'
import { emitSynced } from './sync-events.ts'

export interface ListToReplace {
  credentialId: string
  credType: string
  /** The share of the current holders that a run may remove without confirmation. */
  mostRemoved: number
  invalid: 'refuse' | 'skip'
  /** Whether the operator has confirmed that the run may remove any number of holders. */
  confirmed: boolean
  /** Records the success in the transaction that publishes the list; throws if another run has taken over. */
  succeed(trx: Kysely<DB>): Promise<void>
}

export interface Replaced {
  /** Entries of the source. */
  read: number
  /** Entries that were not addresses of the credential's type. */
  skipped: number
  before: number
  holders: number
  added: number
  removed: number
}

/** The new list would remove more holders than allowed without confirmation. Nothing was changed. */
export class TooManyRemovedError extends Error {
  override name = 'TooManyRemovedError'
}

/** The maximum number of entries of one transaction. */
const CHUNK = 100_000

/**
 * Fills a new list, and replaces the current one with it if everything was read and the loss of holders is within the
 * limit. Until then, and after any failure, readers see the old list.
 */
export async function replaceList(
  { database, clock }: { database: Database; clock: Clock },
  list: ListToReplace,
  read: (give: Reading['give']) => Promise<void>,
): Promise<Replaced> {
  const { credentialId } = list
  const problems = new Problems()
  const kind = holders(new Map([[credentialId, list.credType]]), credentialId, canonicalHolder)
  const encode = encoderOf(kind, clock.now(), problems)
  const now = () => new Date(clock.now())
  let pending: PendingList | undefined
  const started = now()
  let touched = started
  let lines: string[] = []
  let entries = 0
  let count = 0

  /** Creates the list with the first entries only, because a source may take hours to return them. */
  async function touchOrCreate(): Promise<PendingList> {
    const at = now()
    if (pending === undefined) {
      ;[pending] = await database.kysely.transaction().execute((trx) => createPendingLists(trx, [credentialId], at))
      if (!pending) throw new SourceError(`the credential ${credentialId} no longer exists`)
    } else if ((await touchLists(database.kysely, [pending], touched, at)) === 0)
      throw new SourceError('the run made no progress for too long and was aborted', { temporary: true })
    touched = at
    return pending
  }

  async function flush(): Promise<PendingList> {
    const pending = await touchOrCreate()
    if (lines.length === 0) return pending
    const chunk = lines
    lines = []
    await copyTransaction(database, async ({ kysely, copy }) => {
      const staging = stagingOf(database, kysely)
      await createStaging(kysely, staging, kind)
      await copy(stagingTarget(kind.fields), inPieces(chunk))
      const filled = await fillLists(kysely, [pending])
      await staging.end()
      for (const one of filled) count += one.count
    })
    return pending
  }

  try {
    await read(async (given) => {
      for (const entry of given) {
        const line = encode({ line: ++entries, values: [undefined, entry] })
        if (line !== undefined) lines.push(line)
      }
      if (problems.count > 0 && list.invalid === 'refuse') throw badEntries(problems)
      if (lines.length >= CHUNK) await flush()
      else if (pending && clock.now() - touched.getTime() > MINUTE) await touchOrCreate()
    })
    const newList = await flush()
    const { before, removed, confirmed } = await compareLists(database.kysely, newList, started)
    const added = count - (before - removed - confirmed)
    if (removed > list.mostRemoved * before && !list.confirmed)
      throw new TooManyRemovedError(
        `the source has ${count} holders, and ${removed} of the current ${before} are not among them`,
      )
    await database.kysely.transaction().execute(async (trx) => {
      await lockCredentials(trx, [credentialId])
      await list.succeed(trx)
      if (removed > 0 || added > 0) {
        count += await applyChecksSince(trx, newList, started)
        await publishLists(trx, [{ ...newList, count }], now())
      } else {
        await abandonLists(trx, [newList])
        await confirmList(trx, credentialId, now())
      }
      await emitSynced(trx, credentialId, { added, removed }, now())
    })
    return { read: entries, skipped: problems.count, before, holders: count, added, removed }
  } catch (error) {
    await database.kysely.transaction().execute(async (trx) => {
      if (pending) await abandonLists(trx, [pending])
      await confirmFinished(trx, credentialId)
    })
    throw error
  }
}

function badEntries(problems: Problems): SourceError {
  const [first] = problems.first
  const shown = first ? describeProblem(first).replace(/^line /, 'entry ') : ''
  return new SourceError(`${shown} (to skip such entries, set "invalid": "skip")`)
}

async function* inPieces(lines: string[]): AsyncGenerator<string> {
  for (let i = 0; i < lines.length; i += 5_000) yield lines.slice(i, i + 5_000).join('')
}

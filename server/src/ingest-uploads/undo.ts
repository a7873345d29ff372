import { MINUTE, SECOND } from '../clock.ts'
import { idOf, readEntryId } from '../ledger/entry.ts'
import { LOCK_NOT_AVAILABLE } from '../database/sql-states.ts'
import { LedgerError } from '../ledger/ledger-error.ts'
import { readPage } from '../ledger/read-entries.ts'
import { applyReversals } from '../ledger/reversals.ts'
import type { Job } from '../jobs/jobs.ts'
import { beginAwards } from '../ranking/awards.queries.ts'
import { type Dependencies, nowOf } from '../services.ts'
import { lockUndo, storeUndo, type UndoWork } from './imports.queries.ts'

type UndoDependencies = Pick<Dependencies, 'database' | 'clock' | 'log'>

const POLL = SECOND
/** Milliseconds to wait for a space that another transaction has locked, such as a large import. */
const LOCK_WAIT = 5 * SECOND
/** Milliseconds until this process tries an undo again that failed, so that it does not block others. */
const RETRY = 30 * SECOND
const ENTRIES_PER_TRANSACTION = 500
const REASON = 'The import was undone'

/**
 * Reverses the entries of imports that operators undo. Each run reverses some entries and stores the position in the same
 * transaction, so an interrupted job continues there. An entry is reversed only once.
 */
export function undoImportsJob(deps: UndoDependencies): Job {
  /** The times of the next attempts at undos that failed, by import. */
  const retries = new Map<string, number>()
  return {
    name: 'undo-imports',
    asksAllNodes: true,
    async run({ now }) {
      for (const [id, at] of retries) if (at <= now) retries.delete(id)
      let work: UndoWork | undefined
      try {
        return await deps.database.kysely.transaction().execute(async (trx) => {
          work = await lockUndo(trx, [...retries.keys()])
          if (!work) return POLL
          await beginAwards(trx, LOCK_WAIT)
          const undo = await undoPart(deps, trx, work)
          await storeUndo(trx, work.id, undo)
          if (undo.endedAt !== null) deps.log.info({ import: work.id, reversed: undo.reversed }, 'an import was undone')
          return 0
        })
      } catch (error) {
        if (work) retries.set(work.id, now + RETRY)
        if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
        deps.log.info({ import: work?.id }, 'the space of an undone import is locked; the undo continues later')
        return 0
      }
    },
  }
}

async function undoPart(
  deps: UndoDependencies,
  trx: Parameters<typeof storeUndo>[0],
  { id, spaceIds, from, to, undo, by }: UndoWork,
): Promise<UndoWork['undo']> {
  const spaceId = spaceIds[undo.spaces]
  if (spaceId === undefined) return { ...undo, endedAt: nowOf(deps).toISOString() }
  const done = { ...undo, spaces: undo.spaces + 1, after: null }
  const filter = { spaceId, sources: ['import'] as const, from, to: new Date(to.getTime() + MINUTE) }
  const after = undo.after === null ? undefined : readEntryId(undo.after)
  const page = await readPage(trx, filter, { after, first: ENTRIES_PER_TRANSACTION }).catch((error: unknown) => {
    if (error instanceof LedgerError) return undefined // the space was deleted
    throw error
  })
  if (!page) return done
  const own = page.entries.filter(({ actor }) => actor === id)
  const reversals = own.map((entry) => ({ entry, reason: REASON, actor: by }))
  const outcomes = own.length === 0 ? [] : await applyReversals(trx, spaceId, reversals, deps.clock)
  const count = (status: string) => outcomes.filter((outcome) => outcome.status === status).length
  return {
    ...(page.next ? { ...undo, after: idOf(page.next) } : done),
    reversed: undo.reversed + count('applied'),
    before: undo.before + count('duplicate'),
    refused: undo.refused + count('refused'),
  }
}

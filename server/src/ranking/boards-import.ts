import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import type { Staging } from '../distribution/staging.ts'
import { emitImportEvents } from './board-events.ts'
import { recordVersions } from './boards.ts'
import { applyChanges, lockSpaces } from './boards.queries.ts'
import { timeOfEntries } from './ledger.queries.ts'
import {
  collectBanned,
  collectChanges,
  collectNames,
  countBoards,
  countChanges,
  enterBanned,
  hasBans,
  storeBanned,
  storeNames,
  type Totals,
  touchedSpaces,
} from './boards-import.queries.ts'

/**
 * Sets the points of members on their boards, and stores names and avatars, which all boards of a member show. Each
 * changed space gets a version, and another one for its banned members; unchanged rows are not written. Call it once per
 * transaction; it holds the locks of the spaces until the end.
 * @param options `step` receives the kind of the rows that are stored next and, if known, their number; `actor` is the
 * author of the entries in the ledger
 */
export async function setTotals(
  trx: Kysely<DB>,
  staging: Staging,
  totals: Totals,
  clock: Clock,
  { step, actor }: { step?: ((what: string, total?: number) => void) | undefined; actor?: string | undefined } = {},
): Promise<{ added: number; changed: number }> {
  const names = await collectNames(trx, staging, totals)
  if (names > 0) step?.('names', names)
  await storeNames(trx, staging)
  step?.('rows')
  const named = names > 0 && (await countBoards(trx)) > 0
  await lockSpaces(trx, await touchedSpaces(trx, totals, named))
  const kept = await setBannedTotals(trx, staging, totals)
  const changes = await collectChanges(trx, staging, kept?.rest ?? totals, named)
  const { added, changed, renamed, spaces } = await countChanges(trx)
  const counts = { added: added + (kept?.added ?? 0), changed: changed + (kept?.changed ?? 0) }
  if (spaces.length === 0) {
    if (kept) await enterBanned(trx, await timeOfEntries(trx, clock), actor)
    await recordVersions(trx, kept?.spaces ?? [], clock)
    return counts
  }
  step?.('rows', added + 2 * (changed + renamed))
  const beginLedger = () => {
    step?.('entries')
    return timeOfEntries(trx, clock)
  }
  const now = await applyChanges(trx, changes, beginLedger, actor)
  if (kept) await enterBanned(trx, now, actor)
  await emitImportEvents(trx, changes, spaces, now)
  await recordVersions(trx, [...new Set([...spaces, ...(kept?.spaces ?? [])])], clock)
  return counts
}

/** Sets the points of banned members, which are not on the boards. Returns the other lines; undefined without bans. */
async function setBannedTotals(trx: Kysely<DB>, staging: Staging, totals: Totals) {
  if (!(await hasBans(trx))) return undefined
  const rest = await collectBanned(trx, staging, totals)
  return { rest, ...(await storeBanned(trx)) }
}

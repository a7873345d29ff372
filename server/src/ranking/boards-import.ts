import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { emitImportEvents } from './board-events.ts'
import { recordVersions } from './boards.ts'
import { applyChanges, lockSpaces } from './boards.queries.ts'
import {
  collectChanges,
  collectNames,
  countBoards,
  countChanges,
  storeNames,
  type Totals,
  touchedSpaces,
} from './boards-import.queries.ts'

/**
 * Sets the points of members on their boards, and stores names and avatars, which all boards of a member show. Each
 * changed space gets one version; unchanged rows are not written. Call it once per transaction; it holds the locks of
 * the spaces until the end.
 * @param step receives what is stored next and, if known, how much
 */
export async function setTotals(
  trx: Kysely<DB>,
  totals: Totals,
  clock: Clock,
  step?: (what: string, total?: number) => void,
): Promise<{ added: number; changed: number }> {
  const names = await collectNames(trx, totals)
  if (names > 0) step?.('names', names)
  await storeNames(trx)
  step?.('rows')
  const lookups = names * (await countBoards(trx))
  await lockSpaces(trx, await touchedSpaces(trx, totals, lookups))
  const changes = await collectChanges(trx, totals, lookups)
  const { added, changed, spaces } = await countChanges(trx)
  if (spaces.length === 0) return { added, changed }
  step?.('rows', added + 2 * changed)
  await applyChanges(trx, changes, { numbered: true })
  await recordVersions(trx, spaces, clock)
  await emitImportEvents(trx, changes, spaces, new Date(clock.now()))
  return { added, changed }
}

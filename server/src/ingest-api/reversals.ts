import type { Dependencies } from '../services.ts'
import { COPY_NULL, textOfCopy } from '../database/copy.ts'
import { createGroupCommit, type GroupCommit } from '../database/group-commit.ts'
import { readFields } from '../ingest/check.ts'
import { shaped, optional, positive, text } from '../ingest/fields.ts'
import { awardFields } from '../ingest/kinds/awards.ts'
import { readEntryId } from '../ledger/entry.ts'
import { applyReversals, type Reversal, type ReversalOutcome } from '../ledger/reversals.ts'
import { beginAwards } from '../ranking/awards.queries.ts'
import { reachSpace } from '../ranking/boards.queries.ts'
import type { IngestCaller } from './authenticate.ts'
import { AWARDS_TOGETHER, MAX_QUEUED_AWARDS, MAX_QUEUED_AWARDS_PER_TOKEN } from './limits.ts'
import type { Item } from './read-items.ts'
import { batchAnswer, type BatchAnswer, type ItemResult, refusedItem } from './results.ts'

/** An item of `POST /ingest/v1/awards/reversals`: the key of an award, or the id of an entry. */
export const reversalFields = {
  spaceId: positive('space_id'),
  key: { ...awardFields.key, ...optional },
  entry: shaped(
    'entry',
    'the id of an entry, such as 12-3',
    'entry_id',
    (id) => (readEntryId(id) ? id : undefined),
    optional,
  ),
  reason: text('reason', 500),
}

/** Stores reversals by space. */
export type ReversalQueue = GroupCommit<number, Reversal, ReversalOutcome>

export const createReversalQueue = ({ database, clock }: Pick<Dependencies, 'database' | 'clock'>): ReversalQueue =>
  createGroupCommit({
    items: 'reversals',
    together: AWARDS_TOGETHER,
    maxWaiting: MAX_QUEUED_AWARDS,
    maxPerSender: MAX_QUEUED_AWARDS_PER_TOKEN,
    async store(spaceId, reversals, lockWait) {
      await reachSpace(database, spaceId)
      const outcomes = await database.kysely.transaction().execute(async (trx) => {
        await beginAwards(trx, lockWait)
        return applyReversals(trx, spaceId, reversals, clock)
      })
      return { outcomes }
    },
  })

/** Reverses awards; each is accepted or rejected separately. Resolves when all are committed. */
export async function storeReversals(
  queue: ReversalQueue,
  { tokenId, scope }: IngestCaller,
  items: readonly Item[],
): Promise<BatchAnswer> {
  const results = new Array<ItemResult>(items.length)
  const bySpace = new Map<number, { index: number; reversal: Reversal }[]>()
  items.forEach((item, index) => {
    const read = 'value' in item ? readReversal(item.value, index) : { line: index, reason: item.unreadable }
    if (!('spaceId' in read)) {
      results[index] = refusedItem(index, reversalFields, { code: 'INVALID_ARGUMENT', ...read })
      return
    }
    const { spaceId, ...reversal } = read
    if (scope.spaceIds && !scope.spaceIds.includes(spaceId)) {
      const reason = `this token may not write space ${spaceId}`
      results[index] = refusedItem(index, {}, { code: 'PERMISSION_DENIED', field: 'spaceId', reason })
      return
    }
    const own = bySpace.get(spaceId) ?? []
    own.push({ index, reversal: { ...reversal, actor: tokenId } })
    bySpace.set(spaceId, own)
  })
  const submitted = new Map([...bySpace].map(([spaceId, own]) => [spaceId, own.map(({ reversal }) => reversal)]))
  for (const [spaceId, outcomes] of await queue.submit(tokenId, submitted))
    for (const [i, { index }] of (bySpace.get(spaceId) ?? []).entries()) {
      const outcome = outcomes[i] as ReversalOutcome
      results[index] = outcome.status === 'refused' ? refusedItem(index, {}, outcome) : { index, ...outcome }
    }
  return batchAnswer(results)
}

function readReversal(record: unknown, line: number) {
  if (typeof record === 'object' && record !== null && 'points' in record)
    return { line, field: 'points', reason: 'is not a field of a reversal, which takes back the whole award' }
  const read = readFields(reversalFields, 'a reversal', record, line)
  if ('reason' in read) return read
  const { spaceId, key, entry, reason } = read.values
  if ((key === COPY_NULL) === (entry === COPY_NULL))
    return { line, field: 'key', reason: 'or entry must name the award, and not both' }
  return {
    spaceId: Number(spaceId),
    ...(entry === COPY_NULL ? { key: textOfCopy(key) } : { entry: readEntryId(textOfCopy(entry)) }),
    reason: textOfCopy(reason),
  }
}

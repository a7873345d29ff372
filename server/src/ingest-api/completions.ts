import type { Claims, DecidedClaim, NewClaim } from '../claims/claims.ts'
import { type Refusal, refusalReasons } from '../claims/refusals.ts'
import type { Dependencies } from '../services.ts'
import { textOfCopy } from '../database/copy.ts'
import { questNotFound } from '../errors.ts'
import { isIdentifier } from '../resolvers/identifiers.ts'
import { readFields } from '../ingest/check.ts'
import { awardFields } from '../ingest/kinds/awards.ts'
import { findQuestSpace } from '../claims/claims.queries.ts'
import type { IngestCaller } from './authenticate.ts'
import { permissionDenied } from './ingest-error.ts'
import type { Item } from './read-items.ts'
import { batchAnswer, type BatchAnswer, type ItemError, type ItemResult, refusedItem } from './results.ts'

/** An item of `POST /ingest/v1/quests/{id}/completions`. */
export const completionFields = { key: awardFields.key, address: awardFields.address }

/** @throws NOT_FOUND for an unknown quest, PERMISSION_DENIED for one that the token cannot write */
export async function requireQuest(deps: Dependencies, { scope }: IngestCaller, questId: string): Promise<void> {
  const spaceId = isIdentifier(questId) ? await findQuestSpace(deps.database, questId) : undefined
  if (spaceId === undefined) throw questNotFound()
  if (scope.spaceIds && !scope.spaceIds.includes(spaceId))
    throw permissionDenied(`This token may not write space ${spaceId}`)
}

/** Completes a quest for each item; each is accepted or refused separately. Resolves when all are committed. */
export async function storeCompletions(
  claims: Claims,
  { tokenId }: IngestCaller,
  questId: string,
  items: readonly Item[],
): Promise<BatchAnswer> {
  const results = new Array<ItemResult>(items.length)
  const places: number[] = []
  const submitted: NewClaim[] = []
  items.forEach((item, index) => {
    const read =
      'value' in item
        ? readFields(completionFields, 'a completion', item.value, index)
        : { line: index, reason: item.unreadable }
    if ('reason' in read) {
      results[index] = refusedItem(index, completionFields, { code: 'INVALID_ARGUMENT', ...read })
      return
    }
    places.push(index)
    const { key, address } = read.values
    submitted.push({ address: textOfCopy(address), key: `ingest:${textOfCopy(key)}`, actor: tokenId })
  })
  const outcomes = submitted.length === 0 ? [] : await claims.submit(tokenId, questId, submitted)
  for (const [i, outcome] of outcomes.entries()) {
    const index = places[i] as number
    results[index] = resultOf(index, outcome)
  }
  return batchAnswer(results)
}

function resultOf(index: number, outcome: DecidedClaim): ItemResult {
  if (outcome.status === 'refused') return { index, status: 'refused', error: errorOf(outcome.refusal) }
  const { address, points, sprintId, claimedAt } = outcome.completion
  return {
    index,
    status: outcome.status,
    completion: { address, points, sprintId, claimedAt: claimedAt.toISOString() },
  }
}

function errorOf({ reason, message, conditions }: Refusal): ItemError {
  const { rule, retry } = refusalReasons[reason]
  const code = reason === 'POINTS_OUT_OF_RANGE' ? 'OUT_OF_RANGE' : 'CONFLICT'
  return { code, reason, rule, retry, message, ...(conditions && { conditions }) }
}

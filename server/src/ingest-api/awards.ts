import { awardFields, readAward } from '../ingest/kinds/awards.ts'
import type { SpaceAward } from '../ingest/kinds/awards.queries.ts'
import type { IngestCaller } from './authenticate.ts'
import type { AwardQueue } from './award-queue.ts'
import type { Item } from './read-items.ts'
import { batchAnswer, type BatchAnswer, type ItemResult, refusedItem } from './results.ts'

/** Stores awards; each is accepted or rejected separately. Resolves when all are committed. */
export async function storeAwards(
  queue: AwardQueue,
  caller: IngestCaller,
  items: readonly Item[],
): Promise<BatchAnswer> {
  const spaces = caller.scope.spaceIds && new Set(caller.scope.spaceIds)
  const results = new Array<ItemResult>(items.length)
  const bySpace = new Map<number, { events: SpaceAward[]; places: number[] }>()
  items.forEach((item, index) => {
    const award = 'value' in item ? readAward(item.value, index) : { line: index, reason: item.unreadable }
    if (!('spaceId' in award)) {
      results[index] = refusedItem(index, awardFields, { code: 'INVALID_ARGUMENT', ...award })
      return
    }
    if (spaces && !spaces.has(award.spaceId)) {
      const reason = `this token may not write space ${award.spaceId}`
      results[index] = refusedItem(index, {}, { code: 'PERMISSION_DENIED', field: 'spaceId', reason })
      return
    }
    const ofCaller = { ...award, actor: caller.tokenId }
    const space = bySpace.get(award.spaceId)
    if (space) {
      space.events.push(ofCaller)
      space.places.push(index)
    } else bySpace.set(award.spaceId, { events: [ofCaller], places: [index] })
  })
  const stored = await queue.submit(
    caller.tokenId,
    new Map([...bySpace].map(([spaceId, { events }]) => [spaceId, events])),
  )
  for (const [spaceId, outcomes] of stored) {
    const { places } = bySpace.get(spaceId) as { places: number[] }
    outcomes.forEach((outcome, i) => {
      const index = places[i] as number
      results[index] = outcome.status === 'refused' ? refusedItem(index, {}, outcome) : { index, ...outcome }
    })
  }
  return batchAnswer(results)
}

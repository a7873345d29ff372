import type { Dependencies } from '../services.ts'
import { textOfCopy } from '../database/copy.ts'
import { readFields } from '../ingest/check.ts'
import { awardFields } from '../ingest/kinds/awards.ts'
import { type NewReferral, recordReferrals } from '../rules/referrals.ts'
import type { IngestCaller } from './authenticate.ts'
import type { Item } from './read-items.ts'
import { batchAnswer, type BatchAnswer, type ItemResult, refusedItem } from './results.ts'

/** An item of `POST /ingest/v1/referrals`. */
export const referralFields = {
  spaceId: awardFields.spaceId,
  address: awardFields.address,
  referrer: { ...awardFields.address, column: 'referrer' },
}

/** Records referrals; each is accepted or refused separately, those of one space in one transaction. */
export async function storeReferrals(
  { database, clock }: Dependencies,
  { scope }: IngestCaller,
  items: readonly Item[],
): Promise<BatchAnswer> {
  const results = new Array<ItemResult>(items.length)
  const bySpace = new Map<number, { referral: NewReferral; index: number }[]>()
  items.forEach((item, index) => {
    const read =
      'value' in item
        ? readFields(referralFields, 'a referral', item.value, index)
        : { line: index, reason: item.unreadable }
    if ('reason' in read) {
      results[index] = refusedItem(index, referralFields, { code: 'INVALID_ARGUMENT', ...read })
      return
    }
    const spaceId = Number(read.values.spaceId)
    const referral = { address: textOfCopy(read.values.address), referrer: textOfCopy(read.values.referrer) }
    if (scope.spaceIds && !scope.spaceIds.includes(spaceId)) {
      const reason = `this token may not write space ${spaceId}`
      results[index] = refusedItem(index, {}, { code: 'PERMISSION_DENIED', field: 'spaceId', reason })
      return
    }
    bySpace.set(spaceId, [...(bySpace.get(spaceId) ?? []), { referral, index }])
  })
  for (const [spaceId, own] of bySpace) {
    const referrals = own.map(({ referral }) => referral)
    const outcomes = await database.kysely
      .transaction()
      .execute((trx) => recordReferrals(trx, clock, spaceId, referrals))
    own.forEach(({ index }, i) => {
      const outcome = outcomes?.[i]
      if (!outcome) {
        const reason = `${spaceId} is not a known space; create it first`
        results[index] = refusedItem(index, {}, { code: 'NOT_FOUND', field: 'spaceId', reason })
      } else if (outcome.status === 'refused') results[index] = refusedItem(index, {}, { code: 'CONFLICT', ...outcome })
      else results[index] = { index, status: outcome.status }
    })
  }
  return batchAnswer(results)
}

import type { Kysely } from 'kysely'
import type { Clock } from '../../src/clock.ts'
import type { DB } from '../../src/database/tables.ts'
import { applyEvents } from '../../src/ranking/awards.ts'
import { beginAwards } from '../../src/ranking/awards.queries.ts'
import type { Award } from '../../src/ranking/boards.ts'

let keys = 0

/** Stores awards like the ingest API, each with a unique key. @throws when one is not applied */
export async function giveAwards(trx: Kysely<DB>, awards: readonly Award[], clock: Clock): Promise<void> {
  await beginAwards(trx, 0)
  const bySpace = [...Map.groupBy(awards, ({ spaceId }) => spaceId)].toSorted(([a], [b]) => a - b)
  for (const [spaceId, own] of bySpace) {
    const events = own.map(({ sprintId = 0, address, points }) => ({
      key: `given-${keys++}`,
      sprintId,
      address,
      points,
    }))
    const { outcomes } = await applyEvents(trx, spaceId, events, clock)
    const odd = outcomes.find(({ status }) => status !== 'applied')
    if (odd) throw new Error(`an award was not applied: ${JSON.stringify(odd)}`)
  }
}

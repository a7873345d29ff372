import { upsertPlan } from '../../server/src/access/plans.queries.ts'
import { createToken } from '../../server/src/access/server-tokens.ts'
import { systemClock } from '../../server/src/clock.ts'
import { systemRandom } from '../../server/src/random.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import type { Row } from '../harness/row.ts'
import { type Spent, spendQuota } from '../load/spend-quota.ts'
import { startService } from '../processes/service.ts'

const INSTANCES = 4
const CLIENTS = 64
const ACCOUNT = '00000000-0000-4000-8000-00000000be03'
/** Small ones show the last units, large ones the blocks. */
const QUOTAS = [1, 7, 100, 1_000, 10_000]
const QUICK_QUOTAS = [1, 100]

export const row: Row = {
  name: 'T3',
  title: `a quota of N, ${INSTANCES} instances, ${CLIENTS} clients at once`,
  measures: [
    { title: 'requests admitted beyond N', bound: '<=', limit: 0 },
    { title: 'requests admitted short of N', bound: '<=', limit: 0 },
    { title: 'answers that were neither 200 nor 429', bound: '<=', limit: 0 },
  ],
  async run(context) {
    const { quick, say } = context
    const database = await context.fresh('t3')
    await database.pool.query(`INSERT INTO accounts VALUES ($1, 'bench', now())`, [ACCOUNT])
    const services = await Promise.all(
      Array.from({ length: INSTANCES }, () => startService(database, { pinned: false })),
    )
    try {
      const runs: { quota: number; spent: Spent }[] = []
      for (const quota of quick ? QUICK_QUOTAS : QUOTAS) {
        const token = await tokenWithQuota(database, quota)
        const urls = services.map(({ url }) => url)
        runs.push({ quota, spent: await spendQuota(urls, token, CLIENTS) })
        say(`  ${runs.at(-1)?.spent.admitted} of ${quota}`)
      }
      const differences = runs.map(({ quota, spent }) => spent.admitted - quota)
      const odd = runs.reduce((sum, { spent }) => sum + spent.odd, 0)
      if (odd > 0) say(`  ${runs.find(({ spent }) => spent.firstOdd)?.spent.firstOdd}`)
      return {
        values: [Math.max(0, ...differences), Math.max(0, ...differences.map((difference) => -difference)), odd],
        figures: [
          { side: 'N', unit: '', rounds: runs.map(({ quota }) => quota) },
          { side: 'admitted', unit: '', rounds: runs.map(({ spent }) => spent.admitted) },
          { side: 'refused', unit: '', rounds: runs.map(({ spent }) => spent.refused) },
        ],
        notes: [
          'A daily quota; each client asks one instance until no request has been admitted for 2.5 s, so that units leased by one instance return to the others. A run across midnight (UTC) has two days of quota.',
        ],
      }
    } finally {
      await Promise.all(services.map((service) => service.stop()))
    }
  },
}

async function tokenWithQuota(database: BenchDatabase, perDay: number): Promise<string> {
  const plan = `quota-${perDay}`
  await upsertPlan(database.kysely, plan, { perSecond: null, perDay })
  const deps = { database, clock: systemClock, random: systemRandom }
  return (await createToken(deps, { accountId: ACCOUNT, name: plan, plan })).token
}

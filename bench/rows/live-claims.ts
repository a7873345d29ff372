import { randomInt } from 'node:crypto'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { ingestToken } from '../data/ingest-token.ts'
import { interleave, median } from '../harness/rounds.ts'
import type { BenchContext, Row, RowResult } from '../harness/row.ts'
import { type LoadGenerator, startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { type ServiceProcess, startService } from '../processes/service.ts'

const CONNECTIONS = 64
const QUESTS = 20
const SPACES = 4
const BATCH = 100
const BATCH_CONNECTIONS = 8
const CREDENTIALS = ['1', '2', '3']

/** Quests by side; the first space has the quests of all sides. */
const ONE = 'GCone'
const ALONE = 'GCbatch'
const DECIDED = 'GCdecided'
const questOf = (n: number) => `GCmany${n}`
const spaceOf = (n: number) => 40 + (n % SPACES)

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

export const row: Row = {
  name: 'S17',
  title: 'claims of quests, each with its award, participant and count',
  measures: [
    { title: 'claims a second on one quest, one a request', bound: '>=', limit: 1_500 },
    { title: `claims a second on ${QUESTS} quests, one a request`, bound: '>=', limit: 1_500 },
    { title: 'claims a second on one quest with three conditions, one a request', bound: '>=', limit: 1_500 },
    { title: `claims a second on one quest, ${BATCH} a request`, bound: '>=', limit: 1_500 },
  ],
  async run(context) {
    const database = await context.fresh('s17')
    await prepare(database, context.sizes.small)
    const token = await ingestToken(database)
    const service = await startService(database)
    const generator = startLoadGenerator()
    try {
      return await measure(context, { database, token, service, generator })
    } finally {
      await generator.close()
      await service.stop()
    }
  },
}

interface Site {
  database: BenchDatabase
  token: string
  service: ServiceProcess
  generator: LoadGenerator
}

interface Claiming {
  questOfRequest: (n: number) => string
  batch: number
  connections: number
  /** The number of the next member. */
  next: () => number
}

async function measure({ quick, rounds, sizes }: BenchContext, site: Site): Promise<RowResult> {
  const { database, token, service, generator } = site
  const target = { url: service.url, pid: service.pid, headers: { authorization: `Bearer ${token}` } }
  const requests = quick ? 2_000 : 6_000
  let sent = 0
  /** Claims of members of whom every second is new on the board. */
  const claimsOf = (questOfRequest: (n: number) => string, batch: number, connections: number) => {
    let members = 0
    return () => claim({ questOfRequest, batch, connections, next: () => members++ })
  }
  const claim = async ({ questOfRequest, batch, connections, next }: Claiming) => {
    const count = Math.ceil(requests / (batch === 1 ? 1 : BATCH / 4))
    const item = () => {
      const n = next()
      return { key: `s17-${n}`, address: addressOf(n % 2 === 0 ? sizes.small + n : n) }
    }
    const bodies = Array.from({ length: count }, () => JSON.stringify({ items: Array.from({ length: batch }, item) }))
    const paths = bodies.map((_, n) => `/ingest/v1/quests/${questOfRequest(n)}/completions`)
    const { perSecond, p99 } = await generator.run(target, { bodies, paths, connections, once: true })
    sent += count * batch
    return { perSecond: perSecond * batch, p99 }
  }
  const sides = {
    one: claimsOf(() => ONE, 1, CONNECTIONS),
    many: claimsOf((n) => questOf(n % QUESTS), 1, CONNECTIONS),
    decided: claimsOf(() => DECIDED, 1, CONNECTIONS),
    batch: claimsOf(() => ALONE, BATCH, BATCH_CONNECTIONS),
  }
  await interleave(1, sides) // warms up
  const measured = await interleave(rounds, sides)
  const { rows } = await database.pool.query<{ claims: number }>('SELECT count(*) AS claims FROM quest_claims')
  if (rows[0]?.claims !== sent) throw new Error(`${sent} claims were sent, ${rows[0]?.claims} are stored`)
  const speeds = (side: keyof typeof sides) => measured[side].map(({ perSecond }) => perSecond)
  const p99s = (side: keyof typeof sides) => measured[side].map(({ p99 }) => p99)
  return {
    values: [median(speeds('one')), median(speeds('many')), median(speeds('decided')), median(speeds('batch'))],
    figures: [
      { side: 'one quest', unit: 'claims/s', rounds: speeds('one') },
      { side: `${QUESTS} quests`, unit: 'claims/s', rounds: speeds('many') },
      { side: 'one quest with conditions', unit: 'claims/s', rounds: speeds('decided') },
      { side: `one quest, ${BATCH} a request`, unit: 'claims/s', rounds: speeds('batch') },
      { side: 'one quest, p99', unit: 'ms', rounds: p99s('one') },
      { side: `${QUESTS} quests, p99`, unit: 'ms', rounds: p99s('many') },
      { side: 'one quest with conditions, p99', unit: 'ms', rounds: p99s('decided') },
      { side: `one quest, ${BATCH} a request, p99`, unit: 'ms', rounds: p99s('batch') },
    ],
    notes: [
      `\`POST /ingest/v1/quests/{id}/completions\` on ${CONNECTIONS} connections, ${BATCH_CONNECTIONS} for the batches, each claim of another member; every second member is new on the board, which has ${sizes.small} at first. The ${QUESTS} quests are in ${SPACES} spaces. The three conditions are lists of ${2 * sizes.small} holders. An answer means that participant, count, claim, award and ledger entry are committed with synchronous_commit on; at the end all are counted.`,
      PINNING,
    ],
  }
}

async function prepare(database: BenchDatabase, members: number): Promise<void> {
  const deps = { database, clock: systemClock }
  const spaceIds = Array.from({ length: SPACES }, (_, n) => spaceOf(n))
  await importRecords(
    deps,
    'spaces',
    spaceIds.map((spaceId) => ({ spaceId, name: `Space ${spaceId}` })),
  )
  await importRecords(
    deps,
    'credentials',
    CREDENTIALS.map((id) => ({ id, name: `Pass ${id}`, credType: 'EVM_ADDRESS' as const, credSource: 'CSV' as const })),
  )
  const condition = (credentialId: string) => ({ expression: `Hold ${credentialId}`, credentialId })
  const [first = '', ...others] = CREDENTIALS
  const group = (id: string, conditionRelation: 'ALL' | 'ANY', credentialIds: readonly string[]) => ({
    id,
    name: id,
    conditionRelation,
    conditions: credentialIds.map(condition),
    rewards: [],
  })
  const quest = (id: string, spaceId: number, more: object = {}) => ({
    id,
    spaceId,
    name: id,
    type: 'Points' as const,
    loyaltyPoints: 50,
    ...more,
  })
  await importRecords(deps, 'quests', [
    quest(ONE, 40),
    quest(ALONE, 40),
    quest(DECIDED, 40, { credentialGroups: [group('g1', 'ALL', [first]), group('g2', 'ANY', others)] }),
    ...Array.from({ length: QUESTS }, (_, n) => quest(questOf(n), spaceOf(n))),
  ])
  const all = Array.from({ length: members }, (_, n) => addressOf(n))
  await importRecords(
    deps,
    'points',
    all.map((address) => ({ spaceId: 40, address, points: randomInt(100_000) })),
  )
  // Those who are new on the board hold them too.
  const holders = Array.from({ length: 2 * members }, (_, n) => addressOf(n))
  for (const credentialId of CREDENTIALS)
    await importRecords(
      deps,
      'holders',
      holders.map((address) => ({ credentialId, address })),
    )
  await database.pool.query('VACUUM (ANALYZE)')
}

import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import type { Database } from '../../server/src/database/connection.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { ingestToken } from '../data/ingest-token.ts'
import { type SentAward, startAwardSenders } from './award-senders.ts'
import { type CrashSite, crashSite } from './crash-site.ts'
import { startImporter } from './importer.ts'

export interface CrashPlan {
  dataDir: string
  /** How often the service is killed alone, and how often PostgreSQL is, every second time together with the service. */
  serviceKills: number
  databaseKills: number
  /** Members of the awarded board and of the imported board. */
  members: number
  say: (line: string) => void
}

export interface CrashReport {
  /** Awards that were acknowledged and are not counted; imports that said they were done and are not there. */
  lost: number
  /** Awards that are counted more than once. */
  twice: number
  /** Moments at which an import was there in part. */
  torn: number
  /** Chains and balances of the ledgers that differ from the boards. */
  different: number
  acknowledged: number
  /** Batches that were under way when something was killed. */
  unanswered: number
  imports: { begun: number; done: number }
}

type Victim = 'service' | 'database' | 'both'

const AWARDED = 40
const SPRINT = 1
const IMPORTED = 41
const MAX_LIFETIME_MS = 1_500

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

/** Kills the service and PostgreSQL at random moments while awards and imports run, then counts what is there. */
export async function runCrashes(plan: CrashPlan): Promise<CrashReport> {
  const site = crashSite(plan.dataDir)
  const addresses = Array.from({ length: plan.members }, (_, n) => addressOf(n))
  const token = await site.look((database) => prepare(database, addresses))
  await site.start()
  const senders = startAwardSenders({
    senders: 4,
    batch: 50,
    url: site.url,
    token,
    award: (key): SentAward => ({
      key,
      spaceId: AWARDED,
      ...(randomInt(2) === 0 ? {} : { sprintId: SPRINT }),
      address: addressOf(randomInt(plan.members)),
      points: randomInt(1, 1_000),
    }),
  })
  const importer = startImporter(plan.dataDir, IMPORTED, addresses)
  try {
    const { torn, lost } = await killAtRandom(plan, site, importer).finally(() => importer.stop())
    await senders.stop()
    const counted = await site.look((database) => compare(database, senders.acknowledged()))
    const different = await site.look(ledgerDifferences)
    return {
      lost: counted.lost + lost,
      twice: counted.twice,
      torn,
      different,
      acknowledged: senders.acknowledged().length,
      unanswered: senders.unanswered(),
      imports: { begun: importer.begun(), done: importer.completed() },
    }
  } finally {
    senders.abandon()
    await site.close()
  }
}

async function prepare(database: Database, addresses: readonly string[]): Promise<string> {
  const deps = { database, clock: systemClock }
  await importRecords(
    deps,
    'spaces',
    [AWARDED, IMPORTED].map((spaceId) => ({ spaceId, name: `Space ${spaceId}` })),
  )
  await importRecords(deps, 'sprints', [{ spaceId: AWARDED, sprintId: SPRINT }])
  await importRecords(
    deps,
    'points',
    addresses.map((address) => ({ spaceId: IMPORTED, address, points: 0 })),
  )
  return ingestToken(database)
}

async function killAtRandom(
  { serviceKills, databaseKills, members, say }: CrashPlan,
  site: CrashSite,
  importer: ReturnType<typeof startImporter>,
): Promise<{ torn: number; lost: number }> {
  let [torn, lost] = [0, 0]
  const victims = [
    ...Array<Victim>(serviceKills).fill('service'),
    ...Array.from({ length: databaseKills }, (_, n): Victim => (n % 2 === 0 ? 'database' : 'both')),
  ]
  for (const [round, victim] of shuffled(victims).entries()) {
    await sleep(randomInt(50, MAX_LIFETIME_MS))
    const done = importer.done()
    if (victim !== 'service') await site.killDatabase()
    if (victim !== 'database') await site.killService()
    if (randomInt(2) === 0) importer.kill()
    // A service that lives starts its PostgreSQL again by itself.
    if (victim !== 'database') await site.start()
    const found = await site.look((database) => importedPoints(database))
    if (found.length !== 1 || found[0]?.members !== members) torn++
    if (found.some(({ points }) => points < done)) lost++
    if ((round + 1) % 10 === 0) say(`  ${round + 1} of ${victims.length} kills, ${importer.done()} imports done`)
  }
  return { torn, lost }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: randomInt(2 ** 32) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

async function importedPoints({ pool }: Database): Promise<{ points: number; members: number }[]> {
  const { rows } = await pool.query<{ points: number; members: number }>(
    `SELECT points, count(*) AS members FROM board_entries
     WHERE space_id = $1 GROUP BY points`,
    [IMPORTED],
  )
  return rows
}

/** Rebuilds both boards from their ledgers, and counts what differs. */
async function ledgerDifferences({ kysely }: Database): Promise<number> {
  const reports = await Promise.all([AWARDED, IMPORTED].map((spaceId) => verifyLedger(kysely, spaceId)))
  return reports.reduce((sum, report) => sum + (report?.chains.count ?? 1) + (report?.balances.count ?? 1), 0)
}

/** Compares the boards with what was acknowledged, member by member. */
async function compare(
  { pool }: Database,
  acknowledged: readonly SentAward[],
): Promise<{ lost: number; twice: number }> {
  const expected = new Map<string, number>()
  const give = (board: string, points: number) => expected.set(board, (expected.get(board) ?? 0) + points)
  for (const { sprintId, address, points } of acknowledged) {
    give(`0 ${address}`, points)
    if (sprintId !== undefined) give(`${sprintId} ${address}`, points)
  }
  const { rows } = await pool.query<{ board: string; points: number }>(
    `SELECT sprint_id || ' ' || address AS board, points FROM board_entries
     WHERE space_id = $1`,
    [AWARDED],
  )
  const found = new Map(rows.map(({ board, points }) => [board, points]))
  const differences = [...new Set([...expected.keys(), ...found.keys()])].map(
    (board) => (found.get(board) ?? 0) - (expected.get(board) ?? 0),
  )
  return {
    lost: differences.filter((difference) => difference < 0).length,
    twice: differences.filter((difference) => difference > 0).length,
  }
}

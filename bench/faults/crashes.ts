import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import type { Database } from '../../server/src/database/connection.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { ingestToken } from '../data/ingest-token.ts'
import type { Figure } from '../harness/row.ts'
import { type SentAward, startAwardSenders } from './award-senders.ts'
import { countLeftPrepared } from '../processes/citus.ts'
import { type CrashServer, embeddedServer } from './crash-servers.ts'
import { type CrashSite, crashSite } from './crash-site.ts'
import { startImporter } from './importer.ts'

export interface CrashPlan {
  dataDir: string
  /** The embedded server of the folder by default. */
  server?: CrashServer
  /** How often the service is killed alone, and how often PostgreSQL is, every second time together with the service. */
  serviceKills: number
  databaseKills: number
  /** Spaces that receive awards, and as many others that receive imports. */
  spaces?: number
  /** Members of each board. */
  members: number
  /** The longest time from recovery to the next kill. */
  maxLifetimeMs?: number
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
  /** Transactions that are still prepared a minute after the end. */
  prepared: number
  acknowledged: number
  /** Batches that were under way when something was killed. */
  unanswered: number
  imports: { begun: number; done: number }
}

type Victim = 'service' | 'database' | 'both'

const SPRINT = 1

/** The awarded spaces are 1, 2, …, and the imported ones 101, 102, … */
const awardedOf = ({ spaces = 1 }: CrashPlan) => Array.from({ length: spaces }, (_, n) => n + 1)
const importedOf = (plan: CrashPlan) => awardedOf(plan).map((spaceId) => spaceId + 100)

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

/** Kills the service and PostgreSQL at random moments while awards and imports run, then counts what is there. */
export async function runCrashes(plan: CrashPlan): Promise<CrashReport> {
  const { dataDir, server = embeddedServer(dataDir) } = plan
  const site = crashSite(server, dataDir)
  const addresses = Array.from({ length: plan.members }, (_, n) => addressOf(n))
  const [awarded, imported] = [awardedOf(plan), importedOf(plan)]
  const token = await site.look((database) => prepare(database, awarded, imported, addresses))
  await site.start()
  const senders = startAwardSenders({
    senders: 4,
    batch: 50,
    url: site.url,
    token,
    award: (key): SentAward => ({
      key,
      spaceId: randomInt(awarded.length) + 1,
      ...(randomInt(2) === 0 ? {} : { sprintId: SPRINT }),
      address: addressOf(randomInt(plan.members)),
      points: randomInt(1, 1_000),
    }),
  })
  const { databaseUrl } = site
  const importer = startImporter({ dataDir, databaseUrl, spaces: imported, addresses })
  try {
    const { torn, lost } = await killAtRandom(plan, site, importer).finally(() => importer.stop())
    await senders.stop()
    const counted = await site.look((database) => compare(database, awarded, senders.acknowledged()))
    const different = await site.look((database) => ledgerDifferences(database, [...awarded, ...imported]))
    const partial = await site.look((database) => partialImports(database, imported.length * plan.members))
    return {
      lost: counted.lost + lost,
      twice: counted.twice,
      torn: torn + partial,
      different,
      prepared: await countLeftPrepared(() => site.prepared()),
      acknowledged: senders.acknowledged().length,
      unanswered: senders.unanswered(),
      imports: { begun: importer.begun(), done: importer.completed() },
    }
  } finally {
    senders.abandon()
    await site.close()
  }
}

export function crashFigures({ acknowledged, unanswered, imports }: CrashReport): Figure[] {
  return [
    { side: 'awards acknowledged', unit: '', rounds: [acknowledged] },
    { side: 'batches of awards under way at a kill', unit: '', rounds: [unanswered] },
    { side: 'imports begun', unit: '', rounds: [imports.begun] },
    { side: 'imports done', unit: '', rounds: [imports.done] },
  ]
}

async function prepare(
  database: Database,
  awarded: readonly number[],
  imported: readonly number[],
  addresses: readonly string[],
): Promise<string> {
  const deps = { database, clock: systemClock }
  await importRecords(
    deps,
    'spaces',
    [...awarded, ...imported].map((spaceId) => ({ spaceId, name: `Space ${spaceId}` })),
  )
  await importRecords(
    deps,
    'sprints',
    awarded.map((spaceId) => ({ spaceId, sprintId: SPRINT })),
  )
  await importRecords(
    deps,
    'points',
    imported.flatMap((spaceId) => addresses.map((address) => ({ spaceId, address, points: 0 }))),
  )
  return ingestToken(database)
}

async function killAtRandom(
  plan: CrashPlan,
  site: CrashSite,
  importer: ReturnType<typeof startImporter>,
): Promise<{ torn: number; lost: number }> {
  const { serviceKills, databaseKills, members, maxLifetimeMs = 1_500, say } = plan
  const imported = importedOf(plan)
  let [torn, lost] = [0, 0]
  const victims = [
    ...Array<Victim>(serviceKills).fill('service'),
    ...Array.from({ length: databaseKills }, (_, n): Victim => (n % 2 === 0 ? 'database' : 'both')),
  ]
  for (const [round, victim] of shuffled(victims).entries()) {
    await sleep(randomInt(50, maxLifetimeMs))
    const done = importer.done()
    if (victim !== 'service') await site.killDatabase()
    if (victim !== 'database') await site.killService()
    if (randomInt(2) === 0) importer.kill()
    // A service that lives starts its PostgreSQL again by itself.
    if (victim !== 'database') await site.start()
    const found = await site.look((database) => importedPoints(database, imported))
    if (found.length !== imported.length || found.some((board) => board.members !== members)) torn++
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

/** One row for each board if every import is complete or absent there. */
async function importedPoints(
  { pool }: Database,
  imported: readonly number[],
): Promise<{ points: number; members: number }[]> {
  const { rows } = await pool.query<{ points: number; members: number }>(
    `SELECT space_id, points, count(*) AS members FROM board_entries
     WHERE space_id = ANY($1) GROUP BY space_id, points`,
    [imported],
  )
  return rows
}

/** Counts the imports that are not in the ledgers of all members of all boards. */
async function partialImports({ pool }: Database, all: number): Promise<number> {
  const { rows } = await pool.query<{ entries: number }>(
    `SELECT points_after, count(*) AS entries FROM ledger_entries
     WHERE space_id > 100 AND points_after > 0 GROUP BY points_after`,
  )
  return rows.filter(({ entries }) => entries !== all).length
}

/** Rebuilds the boards from their ledgers, and counts what differs. */
async function ledgerDifferences({ kysely }: Database, spaces: readonly number[]): Promise<number> {
  const reports = await Promise.all(spaces.map((spaceId) => verifyLedger(kysely, spaceId)))
  return reports.reduce((sum, report) => sum + (report?.chains.count ?? 1) + (report?.balances.count ?? 1), 0)
}

/** Compares the boards with what was acknowledged, member by member. */
async function compare(
  { pool }: Database,
  awarded: readonly number[],
  acknowledged: readonly SentAward[],
): Promise<{ lost: number; twice: number }> {
  const expected = new Map<string, number>()
  const give = (board: string, points: number) => expected.set(board, (expected.get(board) ?? 0) + points)
  for (const { spaceId, sprintId, address, points } of acknowledged) {
    give(`${spaceId} 0 ${address}`, points)
    if (sprintId !== undefined) give(`${spaceId} ${sprintId} ${address}`, points)
  }
  const { rows } = await pool.query<{ board: string; points: number }>(
    `SELECT concat_ws(' ', space_id, sprint_id, address) AS board, points FROM board_entries
     WHERE space_id = ANY($1)`,
    [awarded],
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

import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { ingestToken } from '../data/ingest-token.ts'
import { benchApp, CALLBACK } from '../data/oauth.ts'
import { buildRankedStarboard } from '../data/ranked-starboard.ts'
import { lineChart } from '../harness/line-chart.ts'
import type { Row } from '../harness/row.ts'
import { drawRequests, MIX, type Send, type SoakPlan, type SoakUser } from '../load/soak-requests.ts'
import { startSoakTraffic } from '../load/soak-traffic.ts'
import { residentBytes } from '../processes/cpu-time.ts'
import { benchToken, startService } from '../processes/service.ts'

const SPACE = 40
const MEMBERS = 20_000
const CREDENTIAL = '1'
const HOLDERS = 5_000
const QUESTS = 50
const STARBOARD_USERS = 10_000
const APP_USERS = 200
const CAPACITY_S = 10
const MINUTES = 30
const QUICK_MINUTES = 1
const SAMPLES = 360
const PICTURE = join(import.meta.dirname, '..', 'plots', 'soak.svg')

interface Sample {
  memory: number
  files: number
  connections: number
  p99: number
  rate: number
}

export const row: Row = {
  name: 'K1',
  title: 'mixed traffic at half capacity for 30 minutes: memory, connections, file handles and latency stay flat',
  measures: [
    { title: 'failed requests', bound: '<=', limit: 0 },
    { title: 'resident memory in the last third, of that in the second', bound: '<=', limit: 1.1 },
    { title: 'open files in the last third, of those in the second', bound: '<=', limit: 1.1 },
    { title: 'database connections in the last third, of those in the second', bound: '<=', limit: 1.1 },
    { title: 'p99 in the last third, of that in the second', bound: '<=', limit: 1.5 },
  ],
  async run(context) {
    const minutes = context.quick ? QUICK_MINUTES : MINUTES
    const database = await context.fresh('k1')
    await fill(database)
    await buildRankedStarboard(database, STARBOARD_USERS, context)
    const [token, writer] = [await benchToken(database), await ingestToken(database)]
    const service = await startService(database, { pinned: false })
    try {
      const draw = drawRequests({
        url: service.url,
        token,
        writer,
        spaceId: SPACE,
        members: MEMBERS,
        credentialId: CREDENTIAL,
        starboardUsers: STARBOARD_USERS,
        app: await appWithUsers(database, service.url),
      })
      const capacity = await capacityOf(draw)
      context.say(`  capacity: ${Math.round(capacity)} requests/s; half of it for ${minutes} min`)
      const traffic = startSoakTraffic(draw, capacity / 2)
      const pause = (minutes * 60_000) / SAMPLES
      const samples: Sample[] = []
      const failures: string[] = []
      for (let number = 0; number < SAMPLES; number++) {
        await sleep(pause)
        const taken = traffic.take()
        failures.push(...taken.failures)
        samples.push({
          memory: residentBytes(service.pid) / 1024 / 1024,
          files: openFiles(service.pid),
          connections: await connectionsTo(database),
          p99: at99(taken.times),
          rate: taken.times.length / (pause / 1000),
        })
        if (number % 36 === 35)
          context.say(`  ${Math.round((number / SAMPLES) * minutes)} min: ${tell(samples.at(-1))}`)
      }
      await traffic.stop()
      if (failures[0] !== undefined) context.say(`  the first failure: ${failures[0]}`)
      const of = (what: keyof Sample) => samples.map((sample) => sample[what])
      if (!context.quick) await writeFile(PICTURE, picture(minutes, of))
      return {
        values: [
          failures.length,
          growth(of('memory')),
          growth(of('files')),
          growth(of('connections')),
          growth(of('p99')),
        ],
        figures: [
          { side: 'capacity', unit: '/s', rounds: [capacity] },
          { side: 'requests', unit: '/s', rounds: of('rate') },
          { side: 'resident memory', unit: 'MB', rounds: of('memory') },
          { side: 'open files', unit: '', rounds: of('files') },
          { side: 'database connections', unit: '', rounds: of('connections') },
          { side: 'p99', unit: 'ms', rounds: of('p99') },
        ],
        notes: [`${MIX}, at an even pace. ![Half an hour of mixed traffic](plots/soak.svg)`],
      }
    } finally {
      await service.stop()
    }
  },
}

async function fill(database: BenchDatabase): Promise<void> {
  const deps = { database, clock: systemClock }
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Space' }])
  const members = Array.from({ length: MEMBERS }, (_, n) => ({ spaceId: SPACE, address: `m${n}`, points: n }))
  await importRecords(deps, 'points', members)
  const credential = { id: CREDENTIAL, name: 'Holders', credType: 'EVM_ADDRESS', credSource: 'CSV' }
  await importRecords(deps, 'credentials', [credential])
  const holders = Array.from({ length: HOLDERS }, (_, n) => ({ address: `0x${n.toString(16).padStart(40, '0')}` }))
  const quests = Array.from({ length: QUESTS }, (_, n) => ({
    id: `GCsoak${String(n).padStart(4, '0')}`,
    spaceId: SPACE,
    name: `Quest ${n}`,
    type: 'Drop' as const,
    status: 'Active' as const,
  }))
  await importRecords(deps, 'quests', quests)
  await importRecords(deps, 'holders', holders, { credentialId: CREDENTIAL })
}

/** An app whose users have just signed in. */
async function appWithUsers(database: BenchDatabase, url: string): Promise<SoakPlan['app']> {
  const app = await benchApp(database)
  const { credentials } = app
  const users = await Promise.all(
    (await app.codes(APP_USERS, ['EVMAddress'])).map(async (code) => {
      const body = `${credentials}&grant_type=authorization_code&redirect_uri=${encodeURIComponent(CALLBACK)}&code=${code}`
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await fetch(`${url}/oauth/auth/2/token`, { method: 'POST', headers, body })
      return (await answer.json()) as SoakUser
    }),
  )
  return { credentials, users }
}

/** What the same traffic reaches without a pace. */
async function capacityOf(draw: () => Send): Promise<number> {
  const traffic = startSoakTraffic(draw, 1e9)
  await sleep(2_000)
  traffic.take()
  await sleep(CAPACITY_S * 1000)
  const { times } = traffic.take()
  await traffic.stop()
  return times.length / CAPACITY_S
}

function openFiles(pid: number): number {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0
}

async function connectionsTo({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()',
  )
  return rows[0]?.count ?? 0
}

function at99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

/** The median of the last third, of that of the second: the first is for warming up. */
function growth(values: readonly number[]): number {
  const third = Math.floor(values.length / 3)
  const before = median(values.slice(third, 2 * third))
  return before === 0 ? 1 : median(values.slice(2 * third)) / before
}

function tell(sample: Sample | undefined): string {
  if (!sample) return ''
  const { memory, files, connections, p99, rate } = sample
  return `${Math.round(rate)}/s, p99 ${p99.toFixed(1)} ms, ${Math.round(memory)} MB, ${files} files, ${connections} connections`
}

function picture(minutes: number, of: (what: keyof Sample) => number[]): string {
  return lineChart('Mixed traffic at half capacity', minutes, [
    { title: 'Resident memory', unit: 'MB', values: of('memory') },
    { title: 'Open files', unit: '', values: of('files') },
    { title: 'Database connections', unit: '', values: of('connections') },
    { title: '99th percentile of the time to an answer', unit: 'ms', values: of('p99') },
    { title: 'Requests a second', unit: '/s', values: of('rate') },
  ])
}

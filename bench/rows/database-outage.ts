import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { DATABASE_PROBE, DATABASE_SILENCE_TIMEOUT } from '../../server/src/lifetimes.ts'
import { smallDisk } from '../../server/test/support/small-disk.ts'
import { flakyNetwork } from '../../server/test/support/flaky-network.ts'
import { type BenchDatabase, openBenchDatabase, urlOf } from '../data/bench-database.ts'
import { ingestToken } from '../data/ingest-token.ts'
import { startAwardSenders } from '../faults/award-senders.ts'
import { databaseSite } from '../faults/database-site.ts'
import { type Seen, startWatch } from '../faults/watchers.ts'
import type { Row } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { benchToken, startService } from '../processes/service.ts'

const SPACE = 40
const MEMBERS = 200
const CLIENTS = 8
const OUTAGE_S = 30
/** All of PostgreSQL, its log included; the log is kept short so that the disk is full only when it is made full. */
const DISK_MB = 1_500
const SHORT_LOG = { max_wal_size: '256MB' }
const QUICK_OUTAGE_S = 9
const SETTLE_MS = 2_000
const MAX_RECOVERY_S = 30
/** In this time the service knows that the database has gone. */
const NOTICE_S = (DATABASE_SILENCE_TIMEOUT + DATABASE_PROBE) / 1000 + 1

interface Outage {
  name: string
  /** When it began, when it was over, and when the first request that was sent after it was answered with 200. */
  from: number
  to: number
  back: number
}

export const row: Row = {
  name: 'T7',
  title: 'PostgreSQL gone for 30 s: killed, frozen, its network cut, its network swallowing everything, its disk full',
  measures: [
    { title: 'answers other than 200, or 503 with Retry-After', bound: '<=', limit: 0 },
    { title: 'longest answer during an outage, s', bound: '<=', limit: NOTICE_S },
    { title: `answers that took over 1 s once the outage was ${NOTICE_S} s old`, bound: '<=', limit: 0 },
    { title: 'longest from the end of an outage to the next answer with data, s', bound: '<=', limit: 5 },
    { title: 'acknowledged awards lost or counted twice', bound: '<=', limit: 0 },
    { title: 'services that had to be started again', bound: '<=', limit: 0 },
  ],
  ownServer: true,
  async run({ quick, say }) {
    const seconds = quick ? QUICK_OUTAGE_S : OUTAGE_S
    const disk = await smallDisk(DISK_MB)
    const dataDir = typeof disk === 'string' ? await mkdtemp(join(tmpdir(), 'questboard-outages-')) : disk.folder
    const site = await databaseSite(dataDir, SHORT_LOG)
    const database = await openBenchDatabase([site.connection], 'bench_t7', true)
    const network = await flakyNetwork(database.connection)
    await fillBoard(database)
    const [token, writer] = [await benchToken(database), await ingestToken(database)]
    const service = await startService({ url: urlOf(network.connection) }, { pinned: false })
    const { url } = service
    const award = (key: string) => ({
      key,
      spaceId: SPACE,
      address: `m${randomInt(MEMBERS)}`,
      points: randomInt(1, 100),
    })
    const senders = startAwardSenders({ senders: 2, batch: 20, url: () => url, token: writer, award })
    const watch = startWatch({ url, token, body: pageBody(SPACE, {}), clients: CLIENTS })
    const faults: [name: string, begin: () => unknown, end: () => Promise<void>][] = [
      ['killed', () => site.kill(), () => site.start()],
      ['frozen', () => site.freeze(), () => site.thaw()],
      ['network cut', () => network.cut(), () => network.mend()],
      ['network silent', () => network.silence(), () => network.mend()],
    ]
    if (typeof disk === 'string') say(`  no full disk: ${disk}`)
    else {
      faults.push(['disk full', () => disk.fill(), () => disk.free()])
      // PostgreSQL exits when it cannot write its log. The supervisor starts it again.
      const end = async () => {
        await disk.free()
        await site.start()
      }
      faults.push(['disk full, log too', () => Promise.all([disk.fill(), site.fillLog()]), end])
    }
    const outages: Outage[] = []
    try {
      for (const [name, begin, end] of faults) {
        await sleep(SETTLE_MS)
        const from = watch.now()
        await begin()
        await sleep(seconds * 1000)
        await end()
        const to = watch.now()
        outages.push({ name, from, to, back: await backAt(url, token, () => watch.now()) })
        say(`  ${name} for ${(to - from).toFixed(1)} s, back after ${((outages.at(-1)?.back ?? 0) - to).toFixed(2)} s`)
      }
      await sleep(SETTLE_MS)
      await senders.stop()
      const seen = await watch.stop()
      const odd = seen.filter((one) => one.odd !== undefined)
      if (odd[0]) say(`  the first odd answer: ${odd[0].odd}`)
      const during = seen.filter(({ at, took }) => outages.some(({ from, to }) => at + took > from && at < to))
      const late = seen.filter(
        ({ at, took }) => took > 1 && outages.some(({ from, to }) => at > from + NOTICE_S && at < to),
      )
      const wrong = await wrongMembers(database, senders.acknowledged())
      const dead = service.child.exitCode !== null || service.child.signalCode !== null
      return {
        values: [
          odd.length,
          Math.max(...during.map(({ took }) => took)),
          late.length,
          Math.max(...outages.map(({ to, back }) => back - to)),
          wrong,
          dead ? 1 : 0,
        ],
        figures: [
          ...outages.map(({ name, from, to }) => figure(name, seen, from, to)),
          { side: 'from the end of an outage to data', unit: 's', rounds: outages.map(({ to, back }) => back - to) },
          { side: 'answers', unit: '', rounds: [seen.length] },
          { side: 'awards acknowledged', unit: '', rounds: [senders.acknowledged().length] },
        ],
        notes: [
          `${CLIENTS} clients ask for a page of 50 every ${20} ms, two senders send awards until they are acknowledged, with the same keys; one service, which is never started again. Each outage lasts ${seconds} s. A database whose connections stay open, but that says nothing, is known to have gone after ${NOTICE_S} s at most; one that refuses connections at once.`,
        ],
      }
    } finally {
      senders.abandon()
      await watch.stop()
      await site.thaw().catch(() => {}) // it is not frozen, or not there
      await service.stop()
      await database.close()
      await network.close()
      await site.close()
      await (typeof disk === 'string' ? rm(dataDir, { recursive: true, force: true }) : disk.remove())
    }
  },
}

function figure(name: string, seen: readonly Seen[], from: number, to: number) {
  const took = seen.filter(({ at }) => at >= from && at < to).map((one) => one.took * 1000)
  return { side: `an answer while ${name}`, unit: 'ms', rounds: took.length > 0 ? took : [0] }
}

/** When a request that is sent from now on is answered with data. */
async function backAt(url: string, token: string, now: () => number): Promise<number> {
  const headers = { 'content-type': 'application/json', 'access-token': token }
  for (const started = now(); now() - started < MAX_RECOVERY_S; await sleep(20)) {
    const response = await fetch(`${url}/query`, { method: 'POST', headers, body: pageBody(SPACE, {}) })
    await response.text()
    if (response.status === 200) break
  }
  return now()
}

async function fillBoard(database: BenchDatabase): Promise<void> {
  const deps = { database, clock: systemClock }
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Space' }])
  const members = Array.from({ length: MEMBERS }, (_, n) => ({ spaceId: SPACE, address: `m${n}`, points: 0 }))
  await importRecords(deps, 'points', members)
}

/** Members whose points are not the sum of their acknowledged awards. */
async function wrongMembers(
  { pool }: BenchDatabase,
  acknowledged: readonly { address: string; points: number }[],
): Promise<number> {
  const expected = new Map<string, number>()
  for (const { address, points } of acknowledged) expected.set(address, (expected.get(address) ?? 0) + points)
  const { rows } = await pool.query<{ address: string; points: number }>(
    `SELECT address, points FROM board_entries
     WHERE space_id = $1 AND sprint_id = 0`,
    [SPACE],
  )
  return rows.filter(({ address, points }) => points !== (expected.get(address) ?? 0)).length
}

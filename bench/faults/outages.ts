import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { DATABASE_PROBE, DATABASE_SILENCE_TIMEOUT } from '../../server/src/lifetimes.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { ingestToken } from '../data/ingest-token.ts'
import type { Figure, Measure } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { benchToken, startService } from '../processes/service.ts'
import { startAwardSenders } from './award-senders.ts'
import { type Seen, startWatch } from './watchers.ts'

export const OUTAGE_SECONDS = { full: 30, quick: 9 }
const MEMBERS = 200
const CLIENTS = 8
const SENDERS = 2
const SETTLE_MS = 2_000
const MAX_RECOVERY_S = 30
/** In this time the service knows that the database has gone. */
const NOTICE_S = (DATABASE_SILENCE_TIMEOUT + DATABASE_PROBE) / 1000 + 1

export interface Fault {
  name: string
  begin: () => unknown
  end: () => Promise<unknown>
  /** Spaces whose rows are elsewhere. */
  unaffected?: readonly number[]
}

export interface OutagePlan {
  /** A way to the database that no fault affects while it is used. */
  database: BenchDatabase
  /** DATABASE_URL of the service. */
  url: string
  spaces: readonly number[]
  faults: readonly Fault[]
  seconds: number
  say: (line: string) => void
}

export interface OutageReport {
  /** In the order of OUTAGE_MEASURES. */
  values: number[]
  figures: Figure[]
  notes: string[]
  /** Of unaffected spaces: answers without data, and the longest time without an acknowledged award, in seconds. */
  elsewhere: { refused: number; pause: number }
}

export const OUTAGE_MEASURES: readonly Measure[] = [
  { title: 'answers other than 200, or 503 with Retry-After', bound: '<=', limit: 0 },
  { title: 'longest answer during an outage, s', bound: '<=', limit: NOTICE_S },
  { title: `answers that took over 1 s once the outage was ${NOTICE_S} s old`, bound: '<=', limit: 0 },
  { title: 'longest from the end of an outage to the next answer with data, s', bound: '<=', limit: 5 },
  { title: 'acknowledged awards lost or counted twice', bound: '<=', limit: 0 },
  { title: 'services that had to be started again', bound: '<=', limit: 0 },
]

interface Outage extends Pick<Fault, 'name' | 'unaffected'> {
  /** When it began, when it was over, and when requests that were sent after it were answered with 200. */
  from: number
  to: number
  back: number
}

/** Lets a service live through faults of its database, one after the other, while clients send queries and awards. */
export async function runOutages({ database, url, spaces, faults, seconds, say }: OutagePlan): Promise<OutageReport> {
  await fillBoards(database, spaces)
  const [token, writer] = [await benchToken(database), await ingestToken(database)]
  const service = await startService({ url }, { pinned: false })
  const watch = startWatch({ url: service.url, token, bodies: spaces.map((id) => pageBody(id, {})), clients: CLIENTS })
  const senders = spaces.map((spaceId) => {
    const award = (key: string) => ({
      key: `${spaceId}-${key}`,
      spaceId,
      address: `m${randomInt(MEMBERS)}`,
      points: randomInt(1, 100),
    })
    const count = Math.ceil(SENDERS / spaces.length)
    return startAwardSenders({ senders: count, batch: 20, url: () => service.url, token: writer, award })
  })
  const storing = watchAwards(spaces, senders, () => watch.now())
  const outages: Outage[] = []
  try {
    for (const { name, begin, end, unaffected } of faults) {
      await sleep(SETTLE_MS)
      const from = watch.now()
      await begin()
      await sleep(seconds * 1000)
      await end()
      const to = watch.now()
      const back = await backAt(service.url, token, spaces, () => watch.now())
      outages.push({ name, from, to, back, ...(unaffected && { unaffected }) })
      say(`  ${name} for ${(to - from).toFixed(1)} s, back after ${(back - to).toFixed(2)} s`)
    }
    await sleep(SETTLE_MS)
    await Promise.all(senders.map((one) => one.stop()))
    const seen = await watch.stop()
    const acknowledged = senders.flatMap((one) => one.acknowledged())
    const odd = seen.filter((one) => one.odd !== undefined)
    if (odd[0]) say(`  the first odd answer: ${odd[0].odd}`)
    const during = seen.filter(({ at, took }) => outages.some(({ from, to }) => at + took > from && at < to))
    const late = seen.filter(
      ({ at, took }) => took > 1 && outages.some(({ from, to }) => at > from + NOTICE_S && at < to),
    )
    const ofSpace = (one: Seen) => spaces[one.query] ?? 0
    const refused = outages.map(
      ({ from, to, unaffected = [] }) =>
        seen.filter((one) => one.at > from && one.at < to && unaffected.includes(ofSpace(one)) && one.status !== 200)
          .length,
    )
    const pauses = outages.flatMap(({ name, from, to, unaffected = [] }) =>
      unaffected.map((spaceId) => ({ name, pause: storing.longestPause(spaceId, from, to) })),
    )
    for (const [n, { name, unaffected }] of outages.entries())
      if (unaffected)
        say(
          `  ${name}: of spaces elsewhere, ${refused[n]} answers without data, and ${Math.max(...pauses.filter((one) => one.name === name).map((one) => one.pause)).toFixed(1)} s without awards`,
        )
    const dead = service.child.exitCode !== null || service.child.signalCode !== null
    return {
      values: [
        odd.length,
        Math.max(...during.map(({ took }) => took)),
        late.length,
        Math.max(...outages.map(({ to, back }) => back - to)),
        await wrongMembers(database, acknowledged),
        dead ? 1 : 0,
      ],
      figures: [
        ...outages.map(({ name, from, to }) => figure(name, seen, from, to)),
        { side: 'from the end of an outage to data', unit: 's', rounds: outages.map(({ to, back }) => back - to) },
        { side: 'answers', unit: '', rounds: [seen.length] },
        { side: 'awards acknowledged', unit: '', rounds: [acknowledged.length] },
      ],
      notes: [
        `${CLIENTS} clients ask for a page of 50 every 20 ms, two senders send awards until they are acknowledged, with the same keys; one service, which is never started again. Each outage lasts ${seconds} s. A database whose connections stay open, but that says nothing, is known to have gone after ${NOTICE_S} s at most; one that refuses connections at once.`,
      ],
      elsewhere: {
        refused: refused.reduce((sum, one) => sum + one, 0),
        pause: Math.max(0, ...pauses.map(({ pause }) => pause)),
      },
    }
  } finally {
    storing.stop()
    for (const one of senders) one.abandon()
    await watch.stop()
    await service.stop()
  }
}

/** Notes the times at which awards of each space are acknowledged. */
function watchAwards(
  spaces: readonly number[],
  senders: readonly { acknowledged(): readonly unknown[] }[],
  now: () => number,
) {
  const times = spaces.map((): number[] => [])
  const counts = spaces.map(() => 0)
  const timer = setInterval(() => {
    for (const [n, one] of senders.entries()) {
      const count = one.acknowledged().length
      if (count > (counts[n] ?? 0)) times[n]?.push(now())
      counts[n] = count
    }
  }, 50)
  return {
    stop: () => clearInterval(timer),
    longestPause(spaceId: number, from: number, to: number): number {
      const inside = (times[spaces.indexOf(spaceId)] ?? []).filter((time) => time > from && time < to)
      const marks = [from, ...inside, to]
      return Math.max(...marks.slice(1).map((time, n) => time - (marks[n] ?? from)))
    },
  }
}

function figure(name: string, seen: readonly Seen[], from: number, to: number): Figure {
  const took = seen.filter(({ at }) => at >= from && at < to).map((one) => one.took * 1000)
  return { side: `an answer while ${name}`, unit: 'ms', rounds: took.length > 0 ? took : [0] }
}

/** When requests about each space that are sent from now on are answered with data. */
async function backAt(url: string, token: string, spaces: readonly number[], now: () => number): Promise<number> {
  const headers = { 'content-type': 'application/json', 'access-token': token }
  const started = now()
  for (const spaceId of spaces)
    for (; now() - started < MAX_RECOVERY_S; await sleep(20)) {
      const response = await fetch(`${url}/query`, { method: 'POST', headers, body: pageBody(spaceId, {}) })
      await response.text()
      if (response.status === 200) break
    }
  return now()
}

async function fillBoards(database: BenchDatabase, spaces: readonly number[]): Promise<void> {
  const deps = { database, clock: systemClock }
  await importRecords(
    deps,
    'spaces',
    spaces.map((spaceId) => ({ spaceId, name: `Space ${spaceId}` })),
  )
  const members = spaces.flatMap((spaceId) =>
    Array.from({ length: MEMBERS }, (_, n) => ({ spaceId, address: `m${n}`, points: 0 })),
  )
  await importRecords(deps, 'points', members)
}

/** Members whose points are not the sum of their acknowledged awards. */
async function wrongMembers(
  { pool }: BenchDatabase,
  acknowledged: readonly { spaceId: number; address: string; points: number }[],
): Promise<number> {
  const expected = new Map<string, number>()
  for (const { spaceId, address, points } of acknowledged) {
    const member = `${spaceId} ${address}`
    expected.set(member, (expected.get(member) ?? 0) + points)
  }
  const { rows } = await pool.query<{ member: string; points: number }>(
    `SELECT space_id || ' ' || address AS member, points FROM board_entries WHERE sprint_id = 0`,
  )
  return rows.filter(({ member, points }) => points !== (expected.get(member) ?? 0)).length
}

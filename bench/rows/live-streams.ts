import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { ingestToken } from '../data/ingest-token.ts'
import type { Row, RowResult } from '../harness/row.ts'
import { openStreams } from '../load/live-streams.ts'
import { residentBytes } from '../processes/cpu-time.ts'
import { benchToken, type ServiceProcess, startService } from '../processes/service.ts'

const SPACE = 40
const FIRST = 10
/** Streams whose events are read; the others only receive them. */
const LISTENERS = 20
const PACE = 1_000
const BATCH = 100
const SECONDS = 15
const LEAD = 1_000

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

export const row: Row = {
  name: 'S19',
  title: 'streams of a live board while awards land',
  measures: [
    { title: 'MB of one worker with 10,000 open streams', bound: '<=', limit: 250 },
    { title: 'milliseconds until an acknowledged award is seen on a stream, p99', bound: '<=', limit: 500 },
  ],
  async run(context) {
    const { quick } = context
    const database = await context.fresh('s19')
    const streams = quick ? 500 : 10_000
    await importRecords({ database, clock: systemClock }, 'spaces', [{ spaceId: SPACE, name: 'Space' }])
    const token = await ingestToken(database)
    // One token may hold half of the streams.
    // The first start after a change of the code compiles it, and keeps the compiler in memory.
    await (await startService(database)).stop()
    const service = await startService(database, { settings: { QUESTBOARD_LIVE_STREAMS: String(2 * streams) } })
    try {
      return await measure({ database, service, token, streams, seconds: quick ? 3 : SECONDS })
    } finally {
      await service.stop()
    }
  },
}

async function measure({
  database,
  service,
  token,
  streams,
  seconds,
}: {
  database: BenchDatabase
  service: ServiceProcess
  token: string
  streams: number
  seconds: number
}): Promise<RowResult> {
  /** The times of acknowledgements by the points of the first member. */
  const acknowledged = new Map<number, number>()
  const seen: { points: number; at: number }[] = []
  const empty = residentBytes(service.pid) / 1e6
  const live = await openStreams(
    {
      url: service.url,
      path: `/live/spaces/${SPACE}?first=${FIRST}`,
      token: await benchToken(database),
      count: streams,
      listeners: LISTENERS,
    },
    (data, at) => {
      const { changed = [] } = JSON.parse(data) as { changed?: { position: number; points: number }[] }
      const first = changed.find(({ position }) => position === 1)
      if (first) seen.push({ points: first.points, at })
    },
  )
  const idle = residentBytes(service.pid) / 1e6
  const end = performance.now() + seconds * 1_000
  let most = idle
  for (let batch = 1; performance.now() < end; batch++) {
    const began = performance.now()
    await send(service.url, token, batch)
    acknowledged.set(batch * LEAD, performance.now())
    most = Math.max(most, residentBytes(service.pid) / 1e6)
    await sleep(Math.max(0, (BATCH / PACE) * 1_000 - (performance.now() - began)))
  }
  await sleep(1_000)
  live.close()
  // A stream shows an award with the first event that has at least its points.
  const delays = [...acknowledged].flatMap(([points, time]) => {
    const shown = seen.filter((event) => event.points >= points)
    return shown.slice(0, LISTENERS).map(({ at }) => Math.max(0, at - time))
  })
  delays.sort((a, b) => a - b)
  const part = (share: number) => delays[Math.min(delays.length - 1, Math.floor(share * delays.length))] ?? NaN
  return {
    values: [most, part(0.99)],
    figures: [
      { side: 'memory before the streams', unit: 'MB', rounds: [empty] },
      { side: 'memory with idle streams', unit: 'MB', rounds: [idle] },
      { side: 'memory with streams while awards land, most', unit: 'MB', rounds: [most] },
      { side: 'delay, median', unit: 'ms', rounds: [part(0.5)] },
      { side: 'delay, p99', unit: 'ms', rounds: [part(0.99)] },
    ],
    notes: [
      `${live.opened().toLocaleString('en')} streams of the first ${FIRST} places. Requests of ${BATCH} awards for different members, ${PACE} awards a second, each of which changes the first places. Each award is timed from its acknowledgement to its event on ${LISTENERS} of the streams. The clients share the machine with the service.`,
    ],
  }
}

/** The first member gets LEAD points in each request; the other awards change the places behind it. */
async function send(url: string, token: string, batch: number): Promise<void> {
  const items = Array.from({ length: BATCH }, (_, n) => ({
    key: `${batch}-${n}`,
    spaceId: SPACE,
    address: n === 0 ? addressOf(0) : addressOf(1 + ((batch * BATCH + n) % 10_000)),
    points: n === 0 ? LEAD : 1 + (n % 7),
  }))
  const answer = await fetch(`${url}/ingest/v1/awards`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ items }),
  })
  const text = await answer.text()
  if (!text.includes(`"applied":${BATCH}`)) throw new Error(`awards were refused: ${text.slice(0, 500)}`)
}

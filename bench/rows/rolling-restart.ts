import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import type { Row } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { type Followers, startFollowers } from '../load/followers.ts'
import { benchToken, type ServiceProcess, startService } from '../processes/service.ts'

const CLIENTS = 32
const RESTARTS = 10
const QUICK_RESTARTS = 2
const NOTICE = { QUESTBOARD_STOP_NOTICE_SECONDS: '2' }
const SPACE = 40
const MEMBERS = 1_000

export const row: Row = {
  name: 'T6',
  title: 'rolling restarts of two instances under load',
  measures: [
    { title: 'failed requests', bound: '<=', limit: 0 },
    { title: 'restarts, of those planned', bound: '>=', limit: 1 },
  ],
  async run(context) {
    const { quick, say } = context
    const database = await context.fresh('t6')
    await fillBoard(database)
    const start = () => startService(database, { pinned: false, settings: NOTICE })
    const running: ServiceProcess[] = await Promise.all([start(), start()])
    const followers = startFollowers({
      instances: () => running.map(({ url }) => url),
      token: await benchToken(database),
      body: pageBody(SPACE, {}),
      clients: CLIENTS,
    })
    const planned = quick ? QUICK_RESTARTS : RESTARTS
    const stops: number[] = []
    try {
      for (let number = 0; number < planned; number++) {
        await bothFollowed(followers, running)
        const old = running[number % 2] as ServiceProcess
        const began = performance.now()
        await old.stop('SIGTERM')
        if (old.child.exitCode !== 0) throw new Error(`an instance ended with ${old.child.exitCode}`)
        stops.push((performance.now() - began) / 1000)
        running[number % 2] = await start()
        say(`  ${number + 1} of ${planned} restarts, ${followers.answered()} requests`)
      }
      await bothFollowed(followers, running)
    } finally {
      await followers.stop()
      await Promise.all(running.map((service) => service.stop('SIGINT')))
    }
    const { requests, failures, firstFailure } = await followers.stop()
    if (firstFailure !== undefined) say(`  the first failure: ${firstFailure}`)
    return {
      values: [failures, stops.length / planned],
      figures: [
        { side: 'requests', unit: '', rounds: [requests] },
        { side: 'from SIGTERM to the end of the process', unit: 's', rounds: stops },
      ],
      notes: [
        `${CLIENTS} clients without a pause on lasting connections ask for a page of 50, in turn at the instances whose /readyz they found to answer 200 in the last 0.1 s, as a load balancer would send them; nothing is sent twice. Stop notice 2 s (the default).`,
      ],
    }
  },
}

async function fillBoard(database: BenchDatabase): Promise<void> {
  const deps = { database, clock: systemClock }
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Space' }])
  const members = Array.from({ length: MEMBERS }, (_, n) => ({ spaceId: SPACE, address: `m${n}`, points: n }))
  await importRecords(deps, 'points', members)
}

async function bothFollowed(followers: Followers, running: readonly ServiceProcess[]): Promise<void> {
  while (!running.every(({ url }) => followers.follows(url))) await sleep(50)
}

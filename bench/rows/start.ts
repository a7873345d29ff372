import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '../../server/src/database/embedded.ts'
import { median } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { embeddedVersion } from '../processes/server-versions.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const TIMEOUT_MS = 120_000
const QUERY = '{ space(id: 40) { name loyaltyPointsRanks { totalCount } } }'

export const row: Row = {
  name: 'S11',
  title: 'the second npm start, after kill -9 of the first',
  measures: [
    { title: 'seconds until the first answer', bound: '<=', limit: 3 },
    { title: 'starts after which the data was not there', bound: '<=', limit: 0 },
  ],
  ownServer: embeddedVersion,
  async run({ rounds, say }) {
    const dataDir = await mkdtemp(join(tmpdir(), 'questboard-start-'))
    const seconds: number[] = []
    let lost = 0
    try {
      say('  the first start, which makes the database and loads the demo data')
      const first = await start(dataDir)
      await first.kill()
      for (let round = 0; round < rounds; round++) {
        const again = await start(dataDir)
        seconds.push(again.seconds)
        if (again.members !== first.members || first.members === 0) lost++
        await again.kill()
      }
    } finally {
      await (await startEmbedded({ dataDir })).stop()
      await rm(dataDir, { recursive: true, force: true })
    }
    return {
      values: [median(seconds), lost],
      figures: [{ side: 'npm start until the first answer', unit: 's', rounds: seconds }],
      notes: [
        'From the start of `npm start` to a query answered by the endpoint with the demo token, with an installed checkout. Before each, the service and the embedded PostgreSQL were ended by kill -9.',
      ],
    }
  },
}

interface Started {
  seconds: number
  members: number
  kill(): Promise<void>
}

async function start(dataDir: string): Promise<Started> {
  const port = await freePort()
  const began = performance.now()
  // A separate process group, so that npm, its shell and the service can be killed together.
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: '', QUESTBOARD_DATA_DIR: dataDir, PORT: String(port), NODE_ENV: '' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const token = await demoToken(child)
  const members = await answer(port, token)
  return { seconds: (performance.now() - began) / 1000, members, kill: () => killAll(child, dataDir) }
}

async function demoToken(child: ChildProcess): Promise<string> {
  let printed = ''
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk)
    const file = /"demo_token_file":"([^"]+)"/.exec(printed)?.[1]
    if (file !== undefined) return (await readFile(file, 'utf8')).trim()
  }
  throw new Error(`npm start ended before it was ready: ${printed}`)
}

async function answer(port: number, token: string): Promise<number> {
  for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline; await sleep(10)) {
    const response = await fetch(`http://127.0.0.1:${port}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'access-token': token },
      body: JSON.stringify({ query: QUERY }),
    }).catch(() => undefined) // not listening yet
    if (response?.status !== 200) continue
    const { data } = (await response.json()) as { data: { space: { loyaltyPointsRanks: { totalCount: number } } } }
    return data.space.loyaltyPointsRanks.totalCount
  }
  throw new Error('the service did not answer')
}

async function killAll(child: ChildProcess, dataDir: string): Promise<void> {
  const exited = once(child, 'exit')
  process.kill(-(child.pid as number), 'SIGKILL')
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  process.kill(Number(text.split('\n')[0]), 'SIGKILL')
  await exited
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

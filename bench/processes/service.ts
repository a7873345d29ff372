import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensurePlans } from '../../server/src/access/plans.ts'
import { createToken } from '../../server/src/access/server-tokens.ts'
import { systemClock } from '../../server/src/clock.ts'
import { systemRandom } from '../../server/src/random.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { DATA_FOLDER } from '../data/cluster.ts'
import { onCore } from './cores.ts'

/** The service as an operator runs it, in a separate process whose log is discarded. */
export interface ServiceProcess {
  url: string
  pid: number
  child: ChildProcess
  stop(signal?: NodeJS.Signals): Promise<void>
}

const MAIN = join(import.meta.dirname, '../../server/src/main.ts')
/** The options of Node with which `npm start` runs it. */
export const START_OPTIONS = optionsOfStart(readFileSync(join(import.meta.dirname, '../../scripts/start'), 'utf8'))
const COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/node')
const ACCOUNT = '00000000-0000-4000-8000-00000000be0c'

/** Limits that no load reaches, so that quota is counted and never refuses. */
const QUOTA = { QUESTBOARD_FREE_PER_SECOND: '1000000000', QUESTBOARD_FREE_PER_DAY: '2000000000' }

/** How many workers the service of a row has: one, unless the run was asked for more. */
let workersOfRun = 1

export function useWorkers(count: number): void {
  workersOfRun = count
}

export interface ServiceOptions {
  settings?: Record<string, string>
  /** Options of Node, such as --cpu-prof. */
  nodeOptions?: readonly string[]
  pinned?: boolean
  /** The number of workers, if not that of the whole run. */
  workers?: number
}

/** Starts the service on a database and waits until it says that it is ready. */
export async function startService(
  database: Pick<BenchDatabase, 'url'>,
  { settings = {}, nodeOptions = [], pinned = true, workers = workersOfRun }: ServiceOptions = {},
): Promise<ServiceProcess> {
  const dataDir = join(DATA_FOLDER, 'service')
  await mkdir(dataDir, { recursive: true })
  const node: [string, string[]] = [process.execPath, [...START_OPTIONS, ...nodeOptions, MAIN]]
  const [command, args] = pinned && workers === 1 ? onCore('server', ...node) : node
  const child = spawn(command, args, {
    env: {
      ...process.env,
      // As `npm start` and the files of deploy/ set them.
      MALLOC_ARENA_MAX: '2',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATABASE_URL: database.url,
      QUESTBOARD_DATA_DIR: dataDir,
      QUESTBOARD_DEMO: 'false',
      HOST: '127.0.0.1',
      PORT: '0',
      WORKERS: String(workers),
      QUESTBOARD_STOP_NOTICE_SECONDS: '0',
      ...QUOTA,
      ...settings,
    },
    stdio: ['ignore', 'pipe', settings.QUESTBOARD_LOG_LEVEL === undefined ? 'ignore' : 'inherit'],
  })
  const reached = await ready(child)
  if (workers > 1) await allWork(reached.url)
  return { ...reached, child, stop: (signal = 'SIGTERM') => stop(child, signal) }
}

/** The first worker answers before the others are there. */
async function allWork(url: string): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(20)
}

function optionsOfStart(script: string): string[] {
  return script.split(/\s+/).filter((word) => word.startsWith('--'))
}

async function ready(child: ChildProcess): Promise<{ url: string; pid: number }> {
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes('"msg":"ready"')) resolve()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it was ready`)))
  })
  const url = /"url":"([^"]+)"/.exec(printed)?.[1]
  if (url === undefined || child.pid === undefined) throw new Error(`the service printed no URL: ${printed}`)
  return { url, pid: child.pid }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** A token of the plan `free` for the service's endpoint. */
export async function benchToken(database: BenchDatabase): Promise<string> {
  await ensurePlans(database, { freePlan: { perSecond: 1_000_000_000, perDay: 2_000_000_000 } })
  await database.pool.query(`INSERT INTO accounts VALUES ($1, 'bench', now()) ON CONFLICT DO NOTHING`, [ACCOUNT])
  const { token } = await createToken(
    { database, clock: systemClock, random: systemRandom },
    { accountId: ACCOUNT, name: 'bench' },
  )
  return token
}

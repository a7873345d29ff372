import cluster from 'node:cluster'
import { systemClock } from './clock.ts'
import { loadConfig } from './config.ts'
import { createLog } from './logging/log.ts'
import { isForPeople } from './logging/log-for-people.ts'
import { systemRandom } from './random.ts'

const FATAL = 60

let embedded = false
try {
  const config = loadConfig(process.env)
  embedded = config.databaseUrl === undefined
  const outside = { clock: systemClock, random: systemRandom }
  // Dynamic imports, so that each process loads only what it needs.
  if (cluster.isWorker) await (await import('./workers/serve-as-worker.ts')).serveAsWorker(config, outside)
  else if (config.workers === 1) {
    const log = createLog(config)
    const [{ serve }, { createSingleProcess }] = await Promise.all([
      import('./process/serve.ts'),
      import('./process/single-process.ts'),
    ])
    await serve(config, { ...outside, log }, createSingleProcess(config))
  } else {
    const { createFirstProcess, FIRST } = await import('./workers/first-process.ts')
    const parts = { ...outside, log: createLog(config, FIRST) }
    const first = createFirstProcess(config, parts)
    await (await import('./process/serve.ts')).serve(config, parts, first)
  }
} catch (error) {
  const msg = `Questboard stopped: ${await explain(error)}`
  const time = new Date(systemClock.now()).toISOString()
  const line = isForPeople(process.stderr) ? msg : JSON.stringify({ level: FATAL, time, msg })
  process.stderr.write(`${line}\n`)
  // A listening socket, for example, would keep the process alive.
  process.exit(1)
}

/** Describes an error in one line for the operator. */
async function explain(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error)
  const { messageOf, explainUnwritableFolder, explainUnusableDatabase } = await import('./database/explain-unusable.ts')
  return explainUnusableDatabase(error, embedded) ?? explainUnwritableFolder(error) ?? messageOf(error)
}

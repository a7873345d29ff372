import cluster from 'node:cluster'
import { systemClock } from './clock.ts'
import { loadConfig } from './config.ts'
import { createLog } from './log.ts'
import { systemRandom } from './random.ts'

try {
  const config = loadConfig(process.env)
  const outside = { clock: systemClock, random: systemRandom }
  // Each process loads only what it needs.
  if (cluster.isWorker) await (await import('./workers/serve-as-worker.ts')).serveAsWorker(config, outside)
  else if (config.workers === 1) {
    const log = createLog(config)
    const [{ serve }, { ownFront }] = await Promise.all([import('./serve.ts'), import('./front.ts')])
    await serve(config, { ...outside, log }, ownFront(config))
  } else {
    const { FIRST, frontOfWorkers } = await import('./workers/front-of-workers.ts')
    const log = createLog(config, FIRST)
    const front = frontOfWorkers(config, log)
    await (await import('./serve.ts')).serve(config, { ...outside, log }, front)
  }
} catch (error) {
  process.stderr.write(`Questboard stopped: ${explain(error)}\n`)
  // Whatever was begun before it failed: a listening socket, say, would keep the process for ever.
  process.exit(1)
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port } = error as { code?: string; port?: number }
  if (code === 'EADDRINUSE') return `port ${port ?? ''} is in use by another program. Set PORT to a free one.`
  if (code === 'EACCES' && port !== undefined)
    return `this user may not listen on port ${port}. Set PORT to 1024 or more.`
  if (code === 'EADDRNOTAVAIL') return `this machine does not have the address that HOST names (${error.message}).`
  if (code === 'EACCES' || code === 'EEXIST' || code === 'EROFS' || code === 'ENOTDIR')
    return `QUESTBOARD_DATA_DIR cannot be used (${error.message}). Set it to a folder that this user may write.`
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return `the database cannot be reached (${error.message}). Check DATABASE_URL.`
  return error.message === '' ? error.name : error.message
}

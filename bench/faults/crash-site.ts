import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '../../server/src/database/embedded.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import type { Database } from '../../server/src/database/connection.ts'
import { openConfiguredDatabase } from '../../server/src/database/open.ts'
import { type ServiceProcess, startService } from '../processes/service.ts'

/** A service with its embedded PostgreSQL in a separate folder. Both can be killed. */
export interface CrashSite {
  /** Where the service is reached now; undefined while it is dead. */
  url: () => string | undefined
  start(): Promise<void>
  killService(): Promise<void>
  /** Kills PostgreSQL's first process; the others exit when they notice. The caller starts PostgreSQL again. */
  killDatabase(): Promise<void>
  /** A look at the database. @throws when the service ended without being killed */
  look<T>(work: (database: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function crashSite(dataDir: string): CrashSite {
  let service: ServiceProcess | undefined
  let endedByItself: string | undefined
  // With this level what the service says of a failed start is seen.
  const settings = { DATABASE_URL: '', QUESTBOARD_DATA_DIR: dataDir, QUESTBOARD_LOG_LEVEL: 'silent' }
  const site: CrashSite = {
    url: () => service?.url,
    async start() {
      const started = await startService({ url: '' }, { settings, pinned: false })
      service = started
      started.child.once('exit', (code) => {
        if (service === started) endedByItself = `the service ended by itself with ${code}`
      })
    },
    async killService() {
      const dead = service
      service = undefined
      await dead?.stop('SIGKILL')
    },
    async killDatabase() {
      // A command that ends while the service is about to come back stops the server; the service starts it again.
      const file = join(dataDir, 'postgres', 'postmaster.pid')
      for (let text: string | undefined; ; await sleep(20)) {
        text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error
          return undefined
        })
        const pid = Number(text?.split('\n')[0])
        if (pid > 0) return void process.kill(pid, 'SIGKILL')
      }
    },
    async look(work) {
      if (endedByItself !== undefined) throw new Error(endedByItself)
      const opened = await openConfiguredDatabase({ databaseUrl: undefined, dataDir, readConnections: 1 }, silentLog)
      try {
        return await work(opened.database)
      } finally {
        await opened.close()
      }
    },
    async close() {
      const last = service
      service = undefined
      await last?.stop()
      await (await startEmbedded({ dataDir })).stop()
    },
  }
  return site
}

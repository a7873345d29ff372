import { type ServiceProcess, startService } from '../processes/service.ts'
import type { CrashServer } from './crash-servers.ts'

/** A service with its database. Both can be killed. */
export interface CrashSite extends Pick<CrashServer, 'databaseUrl' | 'look' | 'prepared'> {
  /** Where the service is reached now; undefined while it is dead. */
  url: () => string | undefined
  start(): Promise<void>
  killService(): Promise<void>
  killDatabase(): Promise<void>
  close(): Promise<void>
}

export function crashSite(server: CrashServer, dataDir: string): CrashSite {
  let service: ServiceProcess | undefined
  let endedByItself: string | undefined
  const { databaseUrl } = server
  // With this level what the service says of a failed start is seen.
  const settings = { DATABASE_URL: databaseUrl, QUESTBOARD_DATA_DIR: dataDir, QUESTBOARD_LOG_LEVEL: 'silent' }
  return {
    databaseUrl,
    url: () => service?.url,
    async start() {
      await server.restarted()
      const started = await startService({ url: databaseUrl }, { settings, pinned: false })
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
    killDatabase: () => server.kill(),
    prepared: () => server.prepared(),
    /** @throws when the service ended without being killed */
    async look(work) {
      if (endedByItself !== undefined) throw new Error(endedByItself)
      return server.look(work)
    },
    async close() {
      const last = service
      service = undefined
      await last?.stop()
      await server.stop()
    },
  }
}

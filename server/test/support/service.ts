import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { ensurePlans } from '../../src/access/plans.ts'
import { type App, type AppOptions, createApp } from '../../src/app.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Dependencies } from '../../src/services.ts'
import { type Logger, silentLog } from '../../src/logging/log.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { systemRandom } from '../../src/random.ts'
import { type TestClock, testClock } from './clock.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** The production service with its own port and database, and a clock that tests advance. */
export interface TestService {
  url: string
  database: TestDatabase
  clock: TestClock
  deps: Dependencies
  app: App
  stop(): Promise<void>
}

export interface TestServiceOptions extends AppOptions {
  settings?: Record<string, string>
  clock?: TestClock
  /** A shared database of several services; its owner drops it. */
  database?: TestDatabase
  /** Its own database is a copy of this one. */
  template?: string
  log?: Logger
  /** 0, the default, selects a free port. */
  port?: number
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await createTestDatabase(options.template))
  const clock = options.clock ?? testClock()
  const config: Config = loadConfig({ PORT: '0', HOST: '127.0.0.1', ...options.settings })
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  const deps: Dependencies = { config, clock, random: systemRandom, log: options.log ?? silentLog, database, outgoing }
  await ensurePlans(database, config)
  const app = await createApp(deps, options)
  app.server.listen(options.port ?? 0, '127.0.0.1')
  await once(app.server, 'listening')
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    database,
    clock,
    deps,
    app,
    async stop() {
      app.server.close()
      app.server.closeAllConnections()
      await app.close()
      await outgoing.close()
      if (!options.database) await database.drop()
    },
  }
}

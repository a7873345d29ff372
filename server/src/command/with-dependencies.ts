import type { Settings } from '../config.ts'
import { hint } from './output.ts'
import type { WithDependencies } from './token.ts'

/**
 * Runs a command's work with the configured database open and migrated; closes it in the end. Settings that are neither
 * named nor the database's may be broken: the command does not use them. What the work needs is loaded when it starts:
 * help needs none of it.
 */
export function withSettings(...names: (keyof Settings)[]): WithDependencies {
  return async (work) => {
    const [{ systemClock }, { databaseSettings, loadConfig }, { systemRandom }, { createLog }] = await Promise.all([
      import('../clock.ts'),
      import('../config.ts'),
      import('../random.ts'),
      import('../logging/log.ts'),
    ])
    const config = loadConfig(process.env, [...databaseSettings, ...names])
    const [{ newDatabaseNotice }, { openConfiguredDatabase }, { createOutgoing }] = await Promise.all([
      import('../database/data-folder.ts'),
      import('../database/open.ts'),
      import('../outgoing/outgoing.ts'),
    ])
    const log = createLog({ logLevel: 'warn' })
    const notice = newDatabaseNotice(config)
    if (notice !== undefined) hint(notice)
    const opened = await openConfiguredDatabase(config, log)
    const outgoing = createOutgoing({ hosts: config.outgoingHosts })
    try {
      return await work({ config, log, clock: systemClock, random: systemRandom, database: opened.database, outgoing })
    } finally {
      await outgoing.close()
      await opened.close()
    }
  }
}

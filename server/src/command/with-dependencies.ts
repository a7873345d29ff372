import type { Settings } from '../config.ts'
import { hint } from './output.ts'
import type { WithDependencies } from './token.ts'

/**
 * Runs the work of a command with the database open and migrated, and closes it afterwards. Only the named settings and
 * those of the database must be valid. Imports are deferred, because help does not need them.
 */
export function withSettings(...names: (keyof Settings)[]): WithDependencies {
  return async (work) => {
    const [{ systemClock }, { databaseSettings }, { loadCommandConfig }, { systemRandom }, { createLog }] =
      await Promise.all([
        import('../clock.ts'),
        import('../config.ts'),
        import('./load-command-config.ts'),
        import('../random.ts'),
        import('../logging/log.ts'),
      ])
    const config = await loadCommandConfig(process.env, [...databaseSettings, ...names])
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

import { systemClock } from '../clock.ts'
import { databaseSettings, loadConfig, type Settings } from '../config.ts'
import { newDatabaseNotice } from '../database/data-folder.ts'
import { openConfiguredDatabase } from '../database/open.ts'
import { createLog } from '../log.ts'
import { createOutgoing } from '../outgoing/outgoing.ts'
import { systemRandom } from '../random.ts'
import type { WithDependencies } from './token.ts'

/**
 * Runs a command's work with the configured database open and migrated; closes it in the end. Settings that are neither
 * named nor the database's may be broken: the command does not use them.
 */
export function withSettings(...names: (keyof Settings)[]): WithDependencies {
  return async (work) => {
    const config = loadConfig(process.env, [...databaseSettings, ...names])
    const log = createLog({ logLevel: 'warn' })
    const notice = newDatabaseNotice(config)
    if (notice !== undefined) console.error(notice)
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

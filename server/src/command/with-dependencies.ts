import { systemClock } from '../clock.ts'
import { loadConfig } from '../config.ts'
import { openConfiguredDatabase } from '../database/open.ts'
import type { Dependencies } from '../dependencies.ts'
import { createLog } from '../log.ts'
import { createOutgoing } from '../outgoing/outgoing.ts'
import { systemRandom } from '../random.ts'

/** Runs a command's work with the configured database open and migrated; closes it in the end. */
export async function withDependencies<Result>(work: (deps: Dependencies) => Promise<Result>): Promise<Result> {
  const config = loadConfig(process.env)
  const log = createLog({ logLevel: 'warn' })
  const opened = await openConfiguredDatabase(config, log)
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  try {
    return await work({ config, log, clock: systemClock, random: systemRandom, database: opened.database, outgoing })
  } finally {
    await outgoing.close()
    await opened.close()
  }
}

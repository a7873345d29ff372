import type { ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import { openDatabase } from '../database/connection.ts'
import { type InstallationSecret, loadInstallationSecret, secretSource } from '../secrets/installation-secret.ts'
import type { SealedCount } from '../secrets/resealing.ts'
import type { Logger } from '../logging/log.ts'
import { systemRandom } from '../random.ts'
import { type Finding, note, off, ok, problem } from './finding.ts'
import { countAllSealed, sayLost } from './sealed.ts'
import { readSealing, sayBehind } from './sealing-processes.queries.ts'

const NAME = 'Keys'
const ADVICE =
  'questboard keys status names them. Restore QUESTBOARD_SECRET or the file "secret" of QUESTBOARD_DATA_DIR, or name the old secret in QUESTBOARD_OTHER_SECRETS; all instances need the same.'
const RESTART = 'Restart it if this is the secret of now; else run this with the settings of the service.'

/** Before the first start, when its file is still to be made. */
const noSecret: InstallationSecret = {
  key() {
    throw new Error('There is no secret yet')
  },
  keys: () => [],
}

/** The installation's secret is there, and opens all that was sealed with it. */
export async function examineKeys(config: Config, connection: ClientConfig | undefined, log: Logger): Promise<Finding> {
  const source = secretSource(config)
  try {
    const secret = source === undefined ? undefined : loadInstallationSecret(config)
    const read = connection === undefined ? undefined : await readFrom(connection, secret, log)
    const lost = sayLost(read?.counts ?? [])
    if (lost !== '') return problem(NAME, `sealed under another secret: ${lost}`, ADVICE)
    if (source === undefined)
      return off(NAME, `no secret yet: the file "secret" is made in ${config.dataDir} at the first start`)
    const says = `secret from ${source}; ${read ? opens(read.counts) : 'what is sealed in the database was not read'}`
    const behind = sayBehind(read?.running ?? [])
    return behind === ''
      ? ok(NAME, says)
      : note(NAME, `${says}; an instance of the service seals with another one (${behind})`, RESTART)
  } catch (error) {
    return problem(NAME, error instanceof Error ? error.message : String(error), ADVICE)
  }
}

async function readFrom(connection: ClientConfig, secret: InstallationSecret | undefined, log: Logger) {
  const database = openDatabase({ connection, readConnections: 1, log })
  try {
    const counts = await countAllSealed({ database, secret: secret ?? noSecret, random: systemRandom })
    return { counts, running: secret ? await readSealing(database.kysely, secret) : [] }
  } finally {
    await database.close()
  }
}

function opens(counts: readonly SealedCount[]): string {
  const sealed = counts.filter(({ current, other }) => current + other > 0)
  if (sealed.length === 0) return 'nothing is sealed yet'
  return `it opens ${sealed.map(({ name, current, other }) => `${name} (${current + other})`).join(', ')}`
}

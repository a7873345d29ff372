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
  '`questboard keys status` lists them. Restore QUESTBOARD_SECRET or the file "secret" in QUESTBOARD_DATA_DIR, or add the old secret to QUESTBOARD_OTHER_SECRETS. All processes need the same secrets.'
const RESTART = 'Restart it if this is the current secret; otherwise run this command with the settings of the service.'

/** Before the first start, which creates the file. */
const noSecret: InstallationSecret = {
  key() {
    throw new Error('No secret exists yet')
  },
  keys: () => [],
}

/** Checks that the secret exists and decrypts all encrypted values. */
export async function examineKeys(config: Config, connection: ClientConfig | undefined, log: Logger): Promise<Finding> {
  const source = secretSource(config)
  try {
    const secret = source === undefined ? undefined : loadInstallationSecret(config)
    const read = connection === undefined ? undefined : await readFrom(connection, secret, log)
    const lost = sayLost(read?.counts ?? [])
    if (lost !== '') return problem(NAME, `encrypted with another secret: ${lost}`, ADVICE)
    if (source === undefined)
      return off(NAME, `no secret yet: the file "secret" is created in ${config.dataDir} at the first start`)
    const says = `secret from ${source}; ${read ? opens(read.counts) : 'encrypted values were not read'}`
    const behind = sayBehind(read?.running ?? [])
    return behind === ''
      ? ok(NAME, says)
      : note(NAME, `${says}; a running process uses another one (${behind})`, RESTART)
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
  if (sealed.length === 0) return 'no encrypted values yet'
  return `it decrypts ${sealed.map(({ name, current, other }) => `${name} (${current + other})`).join(', ')}`
}

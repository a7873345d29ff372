import type { ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import { openDatabase } from '../database/connection.ts'
import { type InstallationSecret, loadInstallationSecret, secretSource } from '../identity/installation-secret.ts'
import type { SealedCount } from '../identity/resealing.ts'
import type { Logger } from '../log.ts'
import { systemRandom } from '../random.ts'
import { type Finding, off, ok, problem } from './finding.ts'
import { countAllSealed, sayLost } from './sealed.ts'

const NAME = 'Keys'
const ADVICE =
  'questboard keys status names them. Restore QUESTBOARD_SECRET or the file "secret" of QUESTBOARD_DATA_DIR, or name the old secret in QUESTBOARD_OTHER_SECRETS; all instances need the same.'

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
    const secret = source === undefined ? noSecret : loadInstallationSecret(config)
    const counts = connection === undefined ? undefined : await countIn(connection, secret, log)
    const lost = sayLost(counts ?? [])
    if (lost !== '') return problem(NAME, `sealed under another secret: ${lost}`, ADVICE)
    if (source === undefined)
      return off(NAME, `no secret yet: the file "secret" is made in ${config.dataDir} at the first start`)
    return ok(NAME, `secret from ${source}; ${counts ? opens(counts) : 'what is sealed in the database was not read'}`)
  } catch (error) {
    return problem(NAME, error instanceof Error ? error.message : String(error), ADVICE)
  }
}

async function countIn(connection: ClientConfig, secret: InstallationSecret, log: Logger): Promise<SealedCount[]> {
  const database = openDatabase({ connection, readConnections: 1, log })
  try {
    return await countAllSealed({ database, secret, random: systemRandom })
  } finally {
    await database.close()
  }
}

function opens(counts: readonly SealedCount[]): string {
  const sealed = counts.filter(({ current, other }) => current + other > 0)
  if (sealed.length === 0) return 'nothing is sealed yet'
  return `it opens ${sealed.map(({ name, current, other }) => `${name} (${current + other})`).join(', ')}`
}

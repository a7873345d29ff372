import type { ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import { openDatabase } from '../database/connection.ts'
import { loadInstallationSecret, secretSource } from '../identity/installation-secret.ts'
import type { Logger } from '../log.ts'
import { checkSigningKeys } from '../oauth/signing-keys.ts'
import { type Finding, off, ok, problem } from './finding.ts'

/** The installation's secret is there, and opens the keys that were sealed with it. */
export async function examineKeys(config: Config, connection: ClientConfig | undefined, log: Logger): Promise<Finding> {
  const name = 'Keys'
  const source = secretSource(config)
  if (source === undefined)
    return off(name, `no secret yet: the file "secret" is made in ${config.dataDir} at the first start`)
  const advice = 'Restore QUESTBOARD_SECRET or the file "secret" of QUESTBOARD_DATA_DIR; all instances need the same.'
  try {
    const secret = loadInstallationSecret(config)
    if (connection === undefined) return ok(name, `secret from ${source}; the keys in the database were not read`)
    const database = openDatabase({ connection, readConnections: 1, log })
    try {
      const keys = await checkSigningKeys({ database, secret })
      return ok(
        name,
        `secret from ${source}; ${keys === 0 ? 'there are no signing keys yet' : 'it opens the signing key'}`,
      )
    } finally {
      await database.close()
    }
  } catch (error) {
    return problem(name, error instanceof Error ? error.message : String(error), advice)
  }
}

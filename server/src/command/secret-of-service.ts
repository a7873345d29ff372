import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { readSealing, sayBehind } from '../doctor/sealing-processes.queries.ts'
import { loadInstallationSecret } from '../secrets/installation-secret.ts'

/** A running process of the service could not decrypt the values that this command would store. */
export class OtherSecretError extends Error {
  override name = 'OtherSecretError'
}

/**
 * Call it before a command encrypts values for the service, since the settings of the command may differ from the
 * service's.
 * @throws OtherSecretError if a running process uses another secret
 */
export async function requireSecretOfService(deps: {
  database: Pick<Database, 'kysely'>
  config: Pick<Config, 'secret' | 'otherSecrets' | 'dataDir'>
}): Promise<void> {
  const behind = sayBehind(await readSealing(deps.database.kysely, loadInstallationSecret(deps.config)))
  if (behind === '') return
  throw new OtherSecretError(
    `Nothing was changed: a running process of the service has another secret (${behind}) and could not decrypt values of this command. Run this command with the settings of the service (QUESTBOARD_SECRET or QUESTBOARD_DATA_DIR). If the secret was replaced, restart that process first.`,
  )
}

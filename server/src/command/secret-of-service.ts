import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { readSealing, sayBehind } from '../doctor/sealing-processes.queries.ts'
import { loadInstallationSecret } from '../secrets/installation-secret.ts'

/** A running instance of the service could not open what this command would seal. */
export class OtherSecretError extends Error {
  override name = 'OtherSecretError'
}

/**
 * Before a command seals something for the service: its settings need not be those of the service.
 * @throws OtherSecretError when an instance is seen that has another secret
 */
export async function requireSecretOfService(deps: {
  database: Pick<Database, 'kysely'>
  config: Pick<Config, 'secret' | 'otherSecrets' | 'dataDir'>
}): Promise<void> {
  const behind = sayBehind(await readSealing(deps.database.kysely, loadInstallationSecret(deps.config)))
  if (behind === '') return
  throw new OtherSecretError(
    `Nothing was changed: an instance of the service has another secret (${behind}) and could not open what is encrypted here. Run this with the settings of the service (QUESTBOARD_SECRET, or its QUESTBOARD_DATA_DIR); or, if the secret was replaced, restart that instance first.`,
  )
}

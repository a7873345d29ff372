import type { ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import { openDatabase } from '../database/connection.ts'
import { type InstallationSecret, loadInstallationSecret, secretSource } from '../secrets/installation-secret.ts'
import type { SealedCount, SealedKind } from '../secrets/resealing.ts'
import type { Logger } from '../logging/log.ts'
import { systemRandom } from '../random.ts'
import type { FindingPart, PartCode } from '../texts/findings.ts'
import { type Finding, note, off, ok, problem } from './finding.ts'
import { countAllSealed, sayLost } from './sealed.ts'
import { readSealing, sayBehind, type SealingProcess } from './sealing-processes.queries.ts'

const NAME = 'Keys'

/** Used before the first start, which creates the secret. */
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
    const lost = (read?.counts ?? []).filter((count) => count.lost.length > 0)
    if (lost.length > 0)
      return problem(NAME, 'keys.lost', {
        values: lost.map((count) => sealedPart(count, count.lost.length, sayLost([count]))),
      })
    if (source === undefined) return off(NAME, 'keys.none', { folder: config.dataDir })
    if (!read) return ok(NAME, 'keys.unread', { source })
    const values = read.counts
      .map((count) => ({ count, sealed: count.current + count.other }))
      .filter(({ sealed }) => sealed > 0)
      .map(({ count, sealed }) => sealedPart(count, sealed, `${count.name} (${sealed})`))
    const processes = read.running.filter(({ current }) => !current).map(processPart)
    if (values.length === 0)
      return processes.length === 0
        ? ok(NAME, 'keys.unused', { source })
        : note(NAME, 'keys.unused-behind', { source, processes })
    return processes.length === 0
      ? ok(NAME, 'keys.ok', { source, values })
      : note(NAME, 'keys.behind', { source, values, processes })
  } catch (error) {
    return problem(NAME, 'keys.unusable', { reason: error instanceof Error ? error.message : String(error) })
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

const sealedCodes = {
  'signing keys': 'sealed.signing-keys',
  'pairwise keys': 'sealed.pairwise-keys',
  'webhook secrets': 'sealed.webhook-secrets',
  sources: 'sealed.sources',
} as const satisfies Record<SealedKind, PartCode>

const sealedPart = ({ name }: SealedCount, count: number, text: string): FindingPart => ({
  code: sealedCodes[name],
  parameters: { text, count },
})

function processPart(process: SealingProcess): FindingPart {
  const { address, since } = process
  return {
    code: `process.${address === null ? 'local' : 'remote'}${since ? '-since' : ''}`,
    parameters: { text: sayBehind([process]), address: address ?? '', since: since?.toISOString() ?? '' },
  }
}

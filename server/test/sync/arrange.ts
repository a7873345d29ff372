import { type AllowedHost, parseAllowedHost } from '../../src/settings/hosts.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { loadConfig } from '../../src/config.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { silentLog } from '../../src/logging/log.ts'
import { systemRandom } from '../../src/random.ts'
import { loadInstallationSecret } from '../../src/secrets/installation-secret.ts'
import { type Checks, createChecks } from '../../src/sync/checks.ts'
import { runSync, type RunOptions, type SyncDependencies } from '../../src/sync/run-sync.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { Upstream } from '../support/upstream.ts'

export interface SyncFixture {
  deps: SyncDependencies & { database: TestDatabase; clock: TestClock }
  checks: Checks
  /** Creates a credential, with a source if one is given. */
  credential: (source?: unknown, about?: { credType?: string; credSource?: string }) => Promise<string>
  run: (credentialId: string, options?: RunOptions) => ReturnType<typeof runSync>
  /** Pauses of the runs in milliseconds. */
  pauses: number[]
  holders: (credentialId: string) => Promise<string[]>
  state: (credentialId: string) => Promise<CredentialState>
  close: () => Promise<void>
}

export interface CredentialState {
  sync_status: string
  item_count: number
  last_update: Date
  last_sync: Date
  state: string | null
  reason: string | null
  failures: number | null
}

export const syncFixture = (...upstreams: Upstream[]): Promise<SyncFixture> => syncFixtureWith({}, upstreams)

/** @param settings by their environment variables, such as the base URLs of platforms */
export async function syncFixtureWith(
  settings: Record<string, string>,
  upstreams: readonly Upstream[] = [],
): Promise<SyncFixture> {
  const database = await createTestDatabase()
  const clock = testClock()
  const hosts = upstreams.map(({ host }) => parseAllowedHost(host) as AllowedHost)
  const config = loadConfig({ QUESTBOARD_SECRET: 'a secret of at least thirty-two characters', ...settings })
  const outgoing = createOutgoing({ hosts: [...hosts, ...config.outgoingHosts] })
  const deps = { config, database, clock, random: systemRandom, log: silentLog, outgoing }
  const checks = createChecks({ ...deps, secret: loadInstallationSecret(config) })
  let next = 1
  const pauses: number[] = []
  return {
    deps,
    checks,
    pauses,
    async credential(source, { credType = 'EVM_ADDRESS', credSource = 'REST' } = {}) {
      const id = String(next++)
      await importRecords(deps, 'credentials', [{ id, name: `Credential ${id}`, credType, credSource }])
      if (source !== undefined) await setSource(deps, id, source)
      return id
    },
    run: (id, options) =>
      runSync(deps, id, {
        pause: async (milliseconds) => {
          pauses.push(milliseconds)
        },
        ...options,
      }),
    async holders(id) {
      const rows = await database.query<{ address: string }>(
        `SELECT address FROM credential_holders h JOIN credentials c USING (credential_id, generation)
         WHERE credential_id = $1 ORDER BY address`,
        [id],
      )
      return rows.map((row) => row.address)
    },
    async state(id) {
      const [row] = await database.query<CredentialState>(
        `SELECT sync_status, item_count, last_update, last_sync, state, reason, failures
         FROM credentials LEFT JOIN credential_sources USING (credential_id) WHERE credential_id = $1`,
        [id],
      )
      return row as CredentialState
    },
    async close() {
      await deps.outgoing.close()
      await database.drop()
    },
  }
}

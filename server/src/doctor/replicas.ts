import type { ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import { connectionOf } from '../database/connection-url.ts'
import { nameOf } from '../database/replicas.ts'
import { readInstallationMark, readReplicaFacts } from './database.queries.ts'
import { type Finding, note, ok, problem } from './finding.ts'
import { withClient } from './with-client.ts'

/** Checks that each replica of DATABASE_READ_URLS is reachable, of this installation, and follows its primary. */
export async function examineReplicas(
  { readUrls }: Config,
  primary: ClientConfig | undefined,
  timeout: number,
): Promise<Finding[]> {
  const mark = primary && (await withClient(primary, timeout, readInstallationMark).catch(() => undefined))
  return Promise.all(readUrls.map((url) => examineReplica(connectionOf(url), mark, timeout)))
}

async function examineReplica(connection: ClientConfig, mark: string | undefined, timeout: number): Promise<Finding> {
  const name = ['Replica', nameOf(connection)] as const
  try {
    return await withClient(connection, timeout, async (client) => {
      const { follows, age, streams } = await readReplicaFacts(client)
      if (!follows) return problem(name, 'replica.no-replica')
      if (mark !== undefined && (await readInstallationMark(client)) !== mark) return problem(name, 'replica.other')
      if (!streams) return problem(name, 'replica.disconnected')
      return age === null ? ok(name, 'replica.ok-new') : ok(name, 'replica.ok', { seconds: age.toFixed(1) })
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    return note(name, 'replica.unreachable', { reason })
  }
}

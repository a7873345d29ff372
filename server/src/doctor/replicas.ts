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
  const name = `Replica ${nameOf(connection)}`
  try {
    return await withClient(connection, timeout, async (client) => {
      const { follows, age, streams } = await readReplicaFacts(client)
      if (!follows)
        return problem(
          name,
          'the server is not a replica, so it gets no reads',
          'Name only streaming replicas in DATABASE_READ_URLS.',
        )
      if (mark !== undefined && (await readInstallationMark(client)) !== mark)
        return problem(
          name,
          'the server follows another installation than DATABASE_URL, or is far behind it, so it gets no reads',
          'Check the host and the name of the database.',
        )
      if (!streams)
        return problem(
          name,
          'the server is not connected to its primary, so it falls behind and gets no reads',
          "Check its primary_conninfo and its log; a password, a slot or the primary's pg_hba.conf may be wrong.",
        )
      const last = age === null ? 'it has replayed nothing yet' : `its last transaction is ${age.toFixed(1)} s old`
      return ok(name, `follows its primary; ${last}`)
    })
  } catch (error) {
    const says = error instanceof Error ? error.message || error.name : String(error)
    return note(name, `${says}; the primary serves the queries`, 'Check DATABASE_READ_URLS and the server.')
  }
}

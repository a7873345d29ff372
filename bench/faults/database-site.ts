import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { isUnreachable } from '../../server/src/database/connection.ts'
import { startEmbedded } from '../../server/src/database/embedded.ts'
import { withClient } from '../../server/test/support/nodes.ts'

const MAX_LOG_MB = 4_000
/** PostgreSQL appendix A. */
const DISK_FULL = '53100'

/** A separate PostgreSQL that can be killed, started again, and frozen. */
export interface DatabaseSite {
  connection: ClientConfig
  kill(): Promise<void>
  start(): Promise<void>
  /** Its processes stay, with their connections, and do nothing. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Writes into its log until it cannot any more. */
  fillLog(): Promise<void>
  close(): Promise<void>
}

export async function databaseSite(dataDir: string, settings: Record<string, string> = {}): Promise<DatabaseSite> {
  let server = await startEmbedded({ dataDir, settings })
  const postmaster = async (): Promise<number> => {
    const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
    return Number(text.split('\n')[0])
  }
  const family = async (): Promise<number[]> => {
    const parent = await postmaster()
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' })
    return [parent, ...children.trim().split(/\s+/).map(Number)]
  }
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    for (const pid of await family()) process.kill(pid, name)
  }
  return {
    connection: server.connection,
    kill: () => signal('SIGKILL'),
    async start() {
      server = await startEmbedded({ dataDir, settings })
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async fillLog() {
      const { connection } = server
      const write = 'SELECT pg_logical_emit_message(true, $1, repeat($1, 4000000))'
      for (let megabytes = 0; megabytes < MAX_LOG_MB; megabytes += 4) {
        const failure = await withClient({ ...connection, database: 'postgres' }, (client) =>
          client.query(write, ['x']),
        ).then(
          () => undefined,
          (error: { code?: string }) => error,
        )
        if (failure && isUnreachable(failure) && failure.code !== DISK_FULL) return
      }
      throw new Error(`PostgreSQL lives on after ${MAX_LOG_MB} MB of log on a full disk`)
    },
    close: () => server.stop(),
  }
}

import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { startEmbedded } from '../../server/src/database/embedded.ts'

/** A PostgreSQL of its own that can be killed, started again, and frozen. */
export interface DatabaseSite {
  connection: ClientConfig
  kill(): Promise<void>
  start(): Promise<void>
  /** Its processes stay, with their connections, and do nothing. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  close(): Promise<void>
}

export async function databaseSite(dataDir: string): Promise<DatabaseSite> {
  let server = await startEmbedded({ dataDir })
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
      server = await startEmbedded({ dataDir })
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    close: () => server.stop(),
  }
}

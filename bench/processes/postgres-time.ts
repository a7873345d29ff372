import type { BenchDatabase } from '../data/bench-database.ts'
import { serverSeconds } from './cpu-time.ts'

/** Seconds of processor time that PostgreSQL has used so far; undefined when it runs on another machine. */
export async function postgresClock({ pool }: BenchDatabase): Promise<(() => number) | undefined> {
  if (process.platform !== 'linux') return undefined
  const { rows } = await pool.query<{ near: boolean }>(
    `SELECT inet_server_addr() IS NULL AND pg_has_role('pg_read_server_files', 'USAGE') AS near`,
  )
  if (!rows[0]?.near) return undefined
  const { rows: found } = await pool.query<{ pid: number }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid`,
  )
  const pid = found[0]?.pid
  return pid === undefined ? undefined : () => serverSeconds(pid)
}

import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, type QueryResultRow } from 'pg'
import { openDatabase } from '../../src/database/connection.ts'
import { migrate } from '../../src/database/migrate.ts'
import { silentLog } from '../../src/logging/log.ts'
import type { TestDatabase } from './database.ts'

const run = promisify(execFile)
const DEBIAN = '/usr/lib/postgresql'

/** The folder of PostgreSQL's tools: POSTGRES_BIN, otherwise Debian's newest. */
export function findPostgresTools(): string | undefined {
  const named = process.env.POSTGRES_BIN
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : []
  const places = [...(named ? [named] : []), ...versions.map((version) => join(DEBIAN, version, 'bin'))]
  return places.find((bin) =>
    ['initdb', 'pg_ctl', 'pg_dump', 'pg_basebackup'].every((name) => existsSync(join(bin, name))),
  )
}

/** A folder of the PostgreSQL user, in which its commands run. */
export interface Workshop {
  folder: string
  /** Runs a shell script with PostgreSQL's tools in the path. Returns its standard output. */
  shell(script: string, environment?: Record<string, string>): Promise<string>
  remove(): Promise<void>
}

export async function openWorkshop(bin: string): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-pg-'))
  await chmod(folder, 0o700)
  const user = await unprivileged()
  if (user) await chown(folder, user.uid, user.gid)
  return {
    folder,
    async shell(script, environment = {}) {
      const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, LC_ALL: 'C', ...environment }
      const { stdout } = await run('sh', ['-ec', script], { cwd: folder, env, ...user })
      return stdout
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** PostgreSQL does not run as root. */
export async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  return { uid: Number(user?.[2]), gid: Number(user?.[3]) }
}

/** Creates and starts a cluster in the folder `name` of a workshop, with these settings. Returns its URL. */
export async function startCluster(workshop: Workshop, name: string, settings: string): Promise<string> {
  const data = join(workshop.folder, name)
  await mkdir(join(workshop.folder, 'sockets'), { recursive: true })
  const user = await unprivileged()
  if (user) await chown(join(workshop.folder, 'sockets'), user.uid, user.gid)
  await workshop.shell(`initdb --pgdata=${data} --auth=trust --username=questboard --encoding=UTF8 --locale=C --no-sync
cat >> ${data}/postgresql.conf <<'END'
listen_addresses = ''
unix_socket_directories = '${workshop.folder}/sockets'
fsync = off
${settings}
END
pg_ctl --pgdata=${data} --log=${data}.log --wait start
createdb --host=${workshop.folder}/sockets --username=questboard questboard`)
  return urlIn(workshop)
}

/** The URL of a workshop's server; it runs one cluster at a time. */
export const urlIn = ({ folder }: Workshop, database = 'questboard') =>
  `postgres://questboard@localhost/${database}?host=${encodeURIComponent(`${folder}/sockets`)}`

/** The migrated database of a URL; drop() only closes it. */
export async function databaseAt(connectionString: string): Promise<TestDatabase> {
  const connection = { connectionString }
  const client = new Client(connection)
  await client.connect()
  await migrate(client)
  await client.end()
  const opened = openDatabase({ connection, readConnections: 1, log: silentLog })
  return {
    ...opened,
    connection,
    query: async <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
      (await opened.pool.query<Row>(text, values)).rows,
    drop: () => opened.close(),
  }
}

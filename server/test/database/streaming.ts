import { chown, cp, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { type EmbeddedPostgres, startEmbedded } from '../../src/database/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'

/** A primary and its streaming replica, both real servers. */
export interface Pair {
  primaryUrl: string
  replicaUrl: string
  /** Runs a statement on the replica. */
  onReplica(sql: string): Promise<unknown[]>
  killReplica(): Promise<void>
  startReplica(): Promise<void>
  stop(): Promise<void>
}

const fast = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_connections: '60' }

/** The replica starts as a copy of the stopped primary. */
export async function startPair(): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-pair-'))
  const [primaryDir, replicaDir] = [join(folder, 'primary'), join(folder, 'replica')]
  const startPrimary = () => startEmbedded({ dataDir: primaryDir, settings: fast })
  let primary = await startPrimary()
  const client = new Client(primary.connection)
  await client.connect()
  await migrate(client)
  await client.end()
  await primary.stop()
  await cp(primaryDir, replicaDir, { recursive: true })
  await writeFile(join(replicaDir, 'postgres', 'standby.signal'), '')
  await keepOwner(primaryDir, replicaDir)
  primary = await startPrimary()
  const { host = '', port = 5432, user = '' } = primary.connection
  const startReplica = () =>
    startEmbedded({
      dataDir: replicaDir,
      settings: {
        ...fast,
        primary_conninfo: `host=${host} port=${port} user=${user}`,
        wal_receiver_status_interval: '1s',
        wal_retrieve_retry_interval: '100ms',
      },
    })
  let replica = await startReplica()
  const kill = async (dataDir: string, { connection }: EmbeddedPostgres) => {
    const pid = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
    process.kill(pid, 'SIGQUIT') // ends at once, without a checkpoint
    while (await answers(connection)) await sleep(10)
    while (isAlive(pid)) await sleep(10)
  }
  return {
    primaryUrl: urlOf(primary.connection),
    replicaUrl: urlOf(replica.connection),
    async onReplica(sql) {
      const one = new Client(replica.connection)
      await one.connect()
      const { rows } = await one.query<Record<string, unknown>>(sql)
      await one.end()
      return rows
    },
    killReplica: () => kill(replicaDir, replica),
    async startReplica() {
      replica = await startReplica()
    },
    async stop() {
      await kill(replicaDir, replica).catch(() => {}) // a test may have ended it
      await kill(primaryDir, primary)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const urlOf = ({ host = '', user = '', database = '' }: ClientConfig) =>
  `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`

/** PostgreSQL does not run as root, so the copy gets the owner of the original. */
async function keepOwner(model: string, copy: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const entries = await readdir(join(copy, 'postgres'), { recursive: true })
  const { uid, gid } = await lstat(join(model, 'postgres'))
  for (const entry of ['.', ...entries]) await chown(join(copy, 'postgres', entry), uid, gid)
}

async function answers(connection: ClientConfig): Promise<boolean> {
  const client = new Client(connection)
  client.on('error', () => {}) // connect reports it
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

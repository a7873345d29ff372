import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { openWorkshop, unprivileged } from './postgres-tools.ts'

/** Settings with which a crash loses no committed transaction. */
export const DURABLE = 'fsync = on\nsynchronous_commit = on\nfull_page_writes = on\n'

/** A coordinator and its workers: PostgreSQL servers with Citus, on loopback. */
export interface CitusNodes {
  /** The coordinator first. The user postgres needs no password. */
  nodes: readonly ClientConfig[]
  /** Kills a server with SIGKILL; by its place in `nodes`. */
  kill(node: number): Promise<void>
  start(node: number): Promise<void>
  /** Its processes stay, with their connections, and do nothing. */
  freeze(node: number): Promise<void>
  thaw(node: number): Promise<void>
  /** Also happens when this process ends. */
  stop(): Promise<void>
}

export interface CitusOptions {
  /** The folder of the programs of a PostgreSQL with Citus. */
  bin: string
  workers?: number
  /** Lines of postgresql.conf. */
  settings?: string
}

// Few shards, because each database of a test copies them. Triggers let tests make writes fail.
const SETTINGS = `
listen_addresses = '127.0.0.1'
shared_preload_libraries = 'citus'
citus.shard_count = 8
citus.enable_unsafe_triggers = on
max_connections = 300
max_prepared_transactions = 300
shared_buffers = 128MB
wal_level = logical
jit = off
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum_naptime = 1h
log_min_error_statement = error
`

export async function startCitusNodes({ bin, workers = 2, settings = '' }: CitusOptions): Promise<CitusNodes> {
  const workshop = await openWorkshop(bin)
  const ports = await freePorts(1 + workers)
  const data = (node: number) => join(workshop.folder, `node${node}`)
  const start = async (node: number) => {
    // Processes of a killed server keep its memory for a moment.
    await workshop.shell(
      `for try in 1 2 3 4 5 6 7 8 9 10; do pg_ctl -D ${data(node)} -l ${data(node)}.log -w start && exit; sleep 0.5; done; exit 1`,
    )
  }
  const signal = async (node: number, name: string) => {
    const first = `$(head -n1 ${data(node)}/postmaster.pid)`
    // A process of a connection may end before its signal.
    await workshop.shell(`kill -${name} ${first}; kill -${name} $(ps -o pid= --ppid ${first}) || true`)
  }
  await workshop.shell(`initdb -D ${data(0)} -U postgres -A trust --encoding=UTF8 --locale=C.UTF-8 --no-sync`)
  for (const [node, port] of ports.entries())
    await workshop.shell(`${node > 0 ? `cp -a ${data(0)} ${data(node)}` : ''}
cat >>${data(node)}/postgresql.conf <<'END'
port = ${port}
unix_socket_directories = '${workshop.folder}'
${node > 0 ? '' : `${SETTINGS}${settings}`}
END`)
  // The guard stops the servers when its input ends: in stop(), or because this process has ended.
  const guard = spawn(
    'sh',
    ['-c', 'cat >/dev/null; for node in node?; do pg_ctl -D $node -m immediate stop; done; rm -rf "$PWD"'],
    {
      cwd: workshop.folder,
      env: { PATH: `${bin}:/usr/bin:/bin` },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      ...(await unprivileged()),
    },
  )
  guard.unref()
  ;(guard.stdin as Socket).unref()
  const stop = async () => {
    guard.ref()
    guard.stdin.end()
    if (guard.exitCode === null) await once(guard, 'exit')
  }
  try {
    await Promise.all(ports.map((_, node) => start(node)))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    nodes: ports.map((port) => ({ host: '127.0.0.1', port, user: 'postgres' })),
    kill: async (node) => void (await workshop.shell(`kill -9 $(head -n1 ${data(node)}/postmaster.pid)`)),
    start,
    freeze: (node) => signal(node, 'STOP'),
    thaw: (node) => signal(node, 'CONT'),
    stop,
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestDatabase } from '../../server/test/support/database.ts'

/** For a quick start and stop: one process, the compile cache of other tests, and no wait for a load balancer. */
export const QUICK = {
  WORKERS: '1',
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/node'),
  QUESTBOARD_STOP_NOTICE_SECONDS: '0',
}

export interface Started {
  url: string
  /** Sends SIGTERM and returns the exit status. */
  terminate(): Promise<number | null>
}

/** Runs a command line of the service until its startup message. */
export async function start(command: string, words: string[], options: SpawnOptions): Promise<Started> {
  const child: ChildProcess = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  let complaints = ''
  child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${complaints}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.endsWith('\n')) resolve()
    })
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  return {
    url: (JSON.parse(printed) as { url: string }).url,
    async terminate() {
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

/** The PostgreSQL of the tests on a TCP port, because other users cannot use its socket. */
export async function startRelay(): Promise<{ url(database: TestDatabase): string; server: Server }> {
  const { host = 'localhost', port = 5432, user = '', password } = inject('postgres')
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const both = [client, upstream]
    for (const socket of both) socket.on('error', () => both.forEach((each) => each.destroy()))
    client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const here = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const account = typeof password === 'string' && password !== '' ? `${user}:${password}` : user
  return { url: ({ connection }) => `postgres://${account}@${here}/${connection.database}`, server }
}

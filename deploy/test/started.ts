import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestDatabase } from '../../server/test/support/database.ts'

/** What makes a start and a stop quick: one process, compiled code of other tests, and no load balancer to wait for. */
export const QUICK = {
  WORKERS: '1',
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/node'),
  QUESTBOARD_STOP_NOTICE_SECONDS: '0',
}

export interface Started {
  url: string
  /** Ends it as an operator's machine does. Answers its exit status. */
  terminate(): Promise<number | null>
}

/** Runs a command line that is the service's, until it says that it is ready. */
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

/** The PostgreSQL of the tests on a TCP port: its socket is not for other users. */
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

import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import type { ClientConfig } from 'pg'

/** A proxy to a PostgreSQL server that a test can break in several ways and repair. */
export interface FlakyNetwork {
  connection: ClientConfig
  /** Closes connections and refuses new ones. */
  cut(): Promise<void>
  /** Passes no more data on open and new connections, which stay open. */
  silence(): void
  /** Passes no more data on open connections; new ones work. */
  forget(): void
  /** Passes no more data on the newest connection; the others work. */
  forgetNewest(): void
  /** Adds a delay to each direction; 0 removes it. */
  delay(milliseconds: number): void
  /** Accepts new connections again. */
  mend(): Promise<void>
  close(): Promise<void>
}

const tls = { ciphers: 'PSK-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' } as const
const psk = Buffer.alloc(16, 1)
const ssl = { ...tls, rejectUnauthorized: false, pskCallback: () => ({ psk, identity: 'test' }) }

/** `encrypted`: uses TLS with a pre-shared key between client and proxy. `tcp`: has a port of 127.0.0.1 instead of a socket. */
export async function flakyNetwork(
  target: ClientConfig,
  { encrypted = false, tcp = false }: { encrypted?: boolean; tcp?: boolean } = {},
): Promise<FlakyNetwork> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-flaky-'))
  const path = join(folder, '.s.PGSQL.5432')
  const open = new Set<Socket>()
  let newest: Socket[] = []
  let silent = false
  let milliseconds = 0
  const pass = (from: Socket, to: Socket) => {
    let line = Promise.resolve()
    let inLine = 0
    from.on('data', (chunk: Buffer) => {
      if (milliseconds === 0 && inLine === 0) return void to.write(chunk)
      inLine++
      const arrives = sleep(milliseconds)
      line = line
        .then(() => arrives)
        .then(() => {
          inLine--
          to.write(chunk)
        })
    })
  }
  const deafen = (sockets: Iterable<Socket> = open) => {
    for (const socket of sockets) socket.removeAllListeners('data').pause()
  }
  const veil = createTlsServer({ ...tls, pskCallback: () => psk }, passOn)
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}) // The test breaks it on purpose.
    if (silent) return
    if (!encrypted) return passOn(socket)
    // The SSLRequest message of PostgreSQL.
    socket.once('data', () => {
      socket.write('S')
      veil.emit('connection', socket)
    })
  })
  function passOn(near: Socket): void {
    open.add(near)
    near.on('error', () => {})
    const far = isSocketFolder(target.host)
      ? connect(`${target.host}/.s.PGSQL.${target.port ?? 5432}`)
      : connect(target.port ?? 5432, target.host ?? 'localhost')
    open.add(far)
    newest = [near, far]
    far.on('error', () => near.destroy())
    pass(near, far)
    pass(far, near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }
  let port = 0 // the first time, any that is free
  const listen = async () => {
    if (tcp) server.listen(port, '127.0.0.1')
    else server.listen(path)
    await once(server, 'listening')
    if (tcp) port = (server.address() as AddressInfo).port
  }
  const breakAll = () => {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  const cut = async () => {
    const closed = server.listening ? once(server, 'close') : undefined
    server.close()
    breakAll()
    await closed
  }
  await listen()
  return {
    connection: {
      ...target,
      ...(tcp ? { host: '127.0.0.1', port } : { host: folder, port: 5432 }),
      ...(encrypted && { ssl }),
    },
    cut,
    silence() {
      silent = true
      deafen()
    },
    forget: () => deafen(),
    forgetNewest: () => deafen(newest),
    delay(added) {
      milliseconds = added
    },
    async mend() {
      silent = false
      breakAll()
      if (!server.listening) await listen()
    },
    async close() {
      await cut()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function isSocketFolder(host: string | undefined): boolean {
  return host?.startsWith('/') ?? false
}

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { ClientConfig } from 'pg'

/** A statement of the client, and the message types before Execute: `CPB` if it was prepared in the same group. */
export interface Asked {
  readonly name: string
  readonly before: string
}

/** The server side of a connection. Each call writes its messages (PostgreSQL documentation: message formats). */
export interface Line {
  /** The number of the connection, from 1. */
  readonly number: number
  /** Returns one row with one column for a statement. */
  row(asked: Asked, text: string): void
  error(severity: 'ERROR' | 'FATAL', code: string): void
  ready(): void
  /** Closes it in order. */
  end(): void
  reset(): void
}

export interface ScriptedPostgres {
  connection: ClientConfig
  /** Connections in the order of their arrival. */
  lines: readonly Line[]
  close(): Promise<void>
}

const PROTOCOL_3 = 196_608
const HEADER = 5

/**
 * A server with the part of PostgreSQL's protocol that read connections use. A script controls its responses, because a
 * real server cannot stop between two given messages.
 * @param script receives the requests of the client at each Sync
 */
export async function scriptedPostgres(
  script: (line: Line, asked: readonly Asked[]) => void,
): Promise<ScriptedPostgres> {
  const lines: Line[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // A client may drop its connection.
    const line = lineOf(socket, lines.length + 1)
    lines.push(line)
    listen(socket, line, script)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    connection: { host: '127.0.0.1', port, user: 'test', database: 'test', ssl: false },
    lines,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function listen(socket: Socket, line: Line, script: (line: Line, asked: readonly Asked[]) => void): void {
  let rest = Buffer.alloc(0)
  let hasStarted = false
  let asked: Asked[] = []
  let before = ''
  let name = ''
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (!hasStarted) {
      if (rest.length < 8 || rest.length < rest.readInt32BE(0)) return
      if (rest.readInt32BE(4) !== PROTOCOL_3) throw new Error('only a start of protocol 3.0 is understood')
      rest = rest.subarray(rest.readInt32BE(0))
      hasStarted = true
      socket.write(message('R', int32(0))) // authenticated
      line.ready()
    }
    while (rest.length >= HEADER && rest.length > rest.readInt32BE(1)) {
      const kind = String.fromCharCode(rest[0] as number)
      const body = rest.subarray(HEADER, rest.readInt32BE(1) + 1)
      rest = rest.subarray(rest.readInt32BE(1) + 1)
      hear(kind, body)
    }
  })

  function hear(kind: string, body: Buffer): void {
    if (kind === 'Q') {
      socket.write(message('C', text('SET')))
      return line.ready()
    }
    if (kind === 'S') {
      const all = asked
      asked = []
      return script(line, all)
    }
    if (kind === 'E') {
      asked.push({ name, before })
      before = ''
      return
    }
    if (kind === 'B') name = body.toString('utf8', 1, body.indexOf(0, 1)) // behind the unnamed portal
    before += kind
  }
}

function lineOf(socket: Socket, number: number): Line {
  const complete: Record<string, Buffer> = { C: message('3'), P: message('1'), B: message('2') }
  return {
    number,
    row({ before }, value) {
      for (const kind of before) socket.write(complete[kind] as Buffer)
      const field = Buffer.from(value)
      socket.write(message('D', int16(1), int32(field.length), field))
      socket.write(message('C', text('SELECT 1')))
    },
    error(severity, code) {
      const fields = [`S${severity}`, `V${severity}`, `C${code}`, `Mas the test says: ${code}`]
      socket.write(message('E', ...fields.map(text), Buffer.of(0)))
    },
    ready: () => void socket.write(message('Z', Buffer.from('I'))),
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
  }
}

function message(kind: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body])
}
const text = (value: string) => Buffer.from(`${value}\0`)
function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'

/** A statement as sent to the server. */
export interface Sent {
  text: string
  /** The parameters as text; binary ones in PostgreSQL's text form of bytea. */
  values: (string | null)[]
}

/** A proxy to a PostgreSQL server that records every statement. */
export interface Tap {
  connection: ClientConfig
  /** The statements since the last call. */
  take(): Sent[]
  close(): Promise<void>
}

export async function openTap(target: ClientConfig): Promise<Tap> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-tap-'))
  const sent: Sent[] = []
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = target.host?.startsWith('/')
      ? connect(`${target.host}/.s.PGSQL.${target.port ?? 5432}`)
      : connect(target.port ?? 5432, target.host ?? 'localhost')
    const listen = frontendMessages((one) => sent.push(one))
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {}) // the other side ends with it
    }
    near.on('data', listen)
    near.pipe(far)
    far.pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(join(folder, '.s.PGSQL.5432'))
  await once(server, 'listening')
  return {
    connection: { ...target, host: folder, port: 5432 },
    take: () => sent.splice(0),
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Parses the messages of a client (PostgreSQL: message formats) and reports each statement with its parameters. */
function frontendMessages(tell: (sent: Sent) => void): (chunk: Buffer) => void {
  const prepared = new Map<string, string>()
  let rest = Buffer.alloc(0)
  let greeted = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      // The first message has no type.
      const head = greeted ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return
      const type = greeted ? String.fromCharCode(rest[0] as number) : ''
      const body = rest.subarray(head + 4, end)
      greeted = true
      rest = rest.subarray(end)
      const texts = reader(body)
      if (type === 'Q') tell({ text: texts.text(), values: [] })
      else if (type === 'P') prepared.set(texts.text(), texts.text())
      else if (type === 'B') {
        texts.text() // the portal
        tell({ text: prepared.get(texts.text()) ?? '', values: texts.values() })
      }
    }
  }
}

function reader(body: Buffer) {
  let at = 0
  const text = () => {
    const end = body.indexOf(0, at)
    const found = body.toString('utf8', at, end)
    at = end + 1
    return found
  }
  const int16 = () => body.readInt16BE((at += 2) - 2)
  const int32 = () => body.readInt32BE((at += 4) - 4)
  const values = () => {
    const formats = Array.from({ length: int16() }, int16)
    return Array.from({ length: int16() }, (_, index) => {
      const length = int32()
      if (length < 0) return null
      const value = body.subarray(at, (at += length))
      const binary = (formats.length === 1 ? formats[0] : formats[index]) === 1
      return binary ? `\\x${value.toString('hex')}` : value.toString('utf8')
    })
  }
  return { text, values }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A foreign HTTP server on loopback that records its requests. */
export interface Upstream {
  /** `http://127.0.0.1:PORT` */
  url: string
  /** `127.0.0.1:PORT`, the format of the setting for allowed hosts. */
  host: string
  port: number
  requests: ReceivedRequest[]
  /** The number of accepted connections, with or without a request. */
  connections(): number
  close(): Promise<void>
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>

export async function startUpstream(answer: Answer, address = '127.0.0.1'): Promise<Upstream> {
  const requests: ReceivedRequest[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const received = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(received)
      void answer(received, response)
    })
  })
  server.on('connection', () => connections++)
  server.listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${address}:${port}`,
    host: `${address}:${port}`,
    port,
    requests,
    connections: () => connections,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

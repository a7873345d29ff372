import { createServer, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { examplePort, needed, run } from '../run.ts'
import { verifyDelivery } from './verify.ts'

export interface WebhookEvent {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

export interface ReceiverOptions {
  secrets: readonly string[]
  /** Does what the event asks for; a failure makes the sender deliver it again. */
  handle: (event: WebhookEvent) => Promise<void>
  now?: () => Date
}

const REMEMBERED = 10_000
const MAX_BYTES = 1_000_000

/** Receives signed events: each is handled once, however often it is delivered. */
export function createReceiver({ secrets, handle, now = () => new Date() }: ReceiverOptions): Server {
  // In memory for brevity. In production, store the ids in the transaction in which `handle` writes.
  const handled = new Set<string>()

  async function receive(headers: Record<string, string | string[] | undefined>, body: Buffer): Promise<number> {
    let id: string
    try {
      id = verifyDelivery({ headers, body }, secrets, now())
    } catch (error) {
      console.warn('refused:', (error as Error).message)
      return 401
    }
    if (handled.has(id)) return 204
    handled.add(id)
    try {
      await handle(JSON.parse(body.toString('utf8')) as WebhookEvent)
    } catch (error) {
      handled.delete(id)
      throw error
    }
    for (const oldest of handled) if (handled.size > REMEMBERED) handled.delete(oldest)
    return 204
  }

  return createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end()
      return
    }
    if (!(Number(request.headers['content-length']) <= MAX_BYTES)) {
      response.writeHead(413, { connection: 'close' }).end()
      return
    }
    buffer(request)
      .then((body) => receive(request.headers, body))
      .then((status) => response.writeHead(status).end())
      .catch((error: unknown) => {
        console.error('an event was not handled', error)
        response.writeHead(500).end()
      })
  })
}

if (import.meta.main) {
  const { WEBHOOK_SECRETS } = needed('WEBHOOK_SECRETS')
  const secrets = WEBHOOK_SECRETS.split(' ').filter((secret) => secret !== '')
  const handle = async ({ type, data }: WebhookEvent) => console.log(type, data)
  run(createReceiver({ secrets, handle }), examplePort())
}

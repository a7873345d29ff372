import type { OutgoingRequest, Sender } from './outgoing.ts'

/** A response with its whole body. */
export interface ReadAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  url: string
  text: string
}

/** Sends a request and reads the whole response as UTF-8. @throws OutgoingError */
export function readText(outgoing: Sender, request: OutgoingRequest): Promise<ReadAnswer> {
  return outgoing.send(request, async ({ status, headers, url, body }) => {
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    return { status, headers, url, text: Buffer.concat(chunks).toString('utf8') }
  })
}

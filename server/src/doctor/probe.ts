import { OutgoingError } from '../outgoing/outgoing-error.ts'
import type { Outgoing, OutgoingRequest } from '../outgoing/outgoing.ts'
import { readText } from '../outgoing/read.ts'
import type { FindingValue } from '../texts/findings.ts'
import { part } from './finding.ts'

const MAX_ANSWER_BYTES = 64 * 1024

/** The client and the timeout for each machine in milliseconds. */
export interface ProbeOptions {
  outgoing: Outgoing
  timeout: number
}

export interface ProbeResponse {
  status: number
  text: string
  /** undefined if the body is not JSON */
  json: unknown
}

export interface FailedProbe {
  failed: FindingValue
}

/** Sends one request; `failed` explains to the operator why the request got no response. */
export async function probe(
  { outgoing, timeout }: ProbeOptions,
  request: Pick<OutgoingRequest, 'url' | 'method' | 'headers' | 'body'>,
): Promise<ProbeResponse | FailedProbe> {
  try {
    const { status, text } = await readText(outgoing, {
      ...request,
      headers: { accept: 'application/json', ...request.headers },
      maxBytes: MAX_ANSWER_BYTES,
      timeout,
      redirects: 0,
    })
    return { status, text, json: parsed(text) }
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    const { code } = (error.cause ?? {}) as { code?: unknown }
    const { host } = new URL(request.url)
    const detail = typeof code === 'string' ? code : error.failure
    return { failed: part(`reason.${error.failure}`, { text: error.message, host, detail }) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // not JSON; the caller reports it
  }
}

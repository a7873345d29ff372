import type { ServiceError } from '../errors.ts'
import { areaOf } from './count-request.ts'
import { failureBody, type Occurrence } from './error-envelope.ts'

/** A failure before any route was reached, as the part of the service says it that was asked: its clients read no other shape. */
export function failureShape(url: string, error: ServiceError, occurrence: Occurrence): string {
  const { code, message } = error
  const { requestId: request_id } = occurrence
  const area = areaOf({ url })
  if (area === 'ingest') return JSON.stringify({ error: { code, message, request_id } })
  if (area === 'api' || area === 'identity')
    return JSON.stringify({ error: { code: code.toLowerCase(), message, request_id } })
  if (area === 'oauth') return JSON.stringify({ error: 'invalid_request', error_description: plainAscii(message) })
  return failureBody([error], occurrence)
}

/** What RFC 6749 5.2 allows in a description. */
function plainAscii(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
}

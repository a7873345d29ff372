import type { ServiceError } from '../errors.ts'
import { areaOf } from './count-request.ts'
import { failureBody, type Occurrence } from './error-envelope.ts'

/** The body of an error before routing, in the format of the API that the URL belongs to. */
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

/** Replaces characters that RFC 6749 5.2 does not allow in a description. */
function plainAscii(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
}

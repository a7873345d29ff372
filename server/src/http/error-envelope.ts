import type { ServiceError } from '../errors.ts'
import type { PlacedError } from '../graphql/execute.ts'

/** One element of `errors`. */
export interface ErrorEntry {
  message: string
  locations?: readonly { line: number; column: number }[]
  path?: readonly (string | number)[]
  extensions: {
    code: string
    category: string
    http_status: number
    request_id: string
    timestamp: string
    details?: readonly string[]
  }
}

export interface Occurrence {
  requestId: string
  /** Milliseconds since 1970. */
  now: number
}

function errorEntry(
  error: ServiceError,
  { requestId, now }: Occurrence,
  place: Pick<ErrorEntry, 'locations' | 'path'> = {},
): ErrorEntry {
  const locations = place.locations ?? error.locations
  return {
    message: error.message,
    ...(locations && locations.length > 0 ? { locations } : {}),
    ...(place.path ? { path: place.path } : {}),
    extensions: {
      code: error.code,
      category: error.category,
      http_status: error.status,
      request_id: requestId,
      timestamp: new Date(now).toISOString(),
      ...(error.details ? { details: error.details } : {}),
    },
  }
}

/** The body of an executed request. @param data JSON text */
export function resultBody(data: string, errors: readonly PlacedError[], occurrence: Occurrence): string {
  if (errors.length === 0) return `{"data":${data}}`
  const entries = errors.map(({ error, path, locations }) => errorEntry(error, occurrence, { path, locations }))
  return `{"data":${data},"errors":${JSON.stringify(entries)}}`
}

/**
 * The body of a request that failed as a whole. Clients of `application/json` find `data: null`; in the newer media
 * type a request that was not executed has no `data` (GraphQL over HTTP, "application/graphql-response+json").
 */
export function failureBody(errors: readonly ServiceError[], occurrence: Occurrence, withoutData = false): string {
  const entries = errors.map((error) => errorEntry(error, occurrence))
  return JSON.stringify(withoutData ? { errors: entries } : { data: null, errors: entries })
}

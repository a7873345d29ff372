import type { IncomingMessage } from 'node:http'
import { contentEncodingNotAccepted, invalidArgument, payloadTooLarge, unsupportedMediaType } from '../errors.ts'
import { isJsonInUtf8 } from './media-types.ts'

/** The body of a query. */
export interface QueryBody {
  query: string
  operationName: string | undefined
  variables: Record<string, unknown>
}

/** The text of the body. @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_ARGUMENT */
export function readQueryText(request: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const type = request.headers['content-type']
    if (!isJsonInUtf8(type)) return reject(unsupportedMediaType(type))
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
    if (encoding !== '' && encoding !== 'identity') return reject(contentEncodingNotAccepted(encoding))
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return reject(payloadTooLarge(maxBytes))
    let chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) return void chunks.push(chunk)
      // The rest of the body is read and discarded, because many clients read the response only after they have sent it.
      chunks = []
      reject(payloadTooLarge(maxBytes))
    })
    request.on('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      try {
        resolve(utf8.decode(body))
      } catch {
        reject(invalidArgument('The request body is not UTF-8'))
      }
    })
    // The client has disconnected. The rejection only ends the work of the request.
    const aborted = () => {
      if (!request.readableEnded) reject(invalidArgument('The request was aborted'))
    }
    request.on('close', aborted)
    request.on('error', aborted)
    if (request.destroyed) aborted()
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON so that an ID is never rounded. A number beyond `±Number.MAX_SAFE_INTEGER` becomes a bigint if it has only
 * digits. Otherwise, for example with an exponent, it becomes an UnreadableNumber, which no type accepts.
 * @throws INVALID_ARGUMENT if the text is not JSON or nested too deeply
 */
export function parseJson(text: string, what = 'The request body'): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return mayBeRounded(value) ? JSON.parse(text, asWritten as (key: string, value: unknown) => unknown) : value
  } catch (error) {
    if (error instanceof RangeError) throw invalidArgument(`${what} is nested too deeply`)
    throw invalidArgument(`${what} is not JSON`, `reason: ${(error as Error).message}`)
  }
}

function asWritten(_key: string, value: unknown, { source = '' }: { source?: string }): unknown {
  if (!mayBeRounded(value) || typeof value !== 'number') return value
  return /^-?[0-9]+$/.test(source) ? BigInt(source) : new UnreadableNumber(source)
}

/**
 * Messages show the number as the client wrote it. No input object type has the field `number`, so validation also refuses
 * the object where an empty input object is valid.
 */
class UnreadableNumber {
  readonly number: string

  constructor(source: string) {
    this.number = source
  }

  toJSON(): string {
    return this.number
  }
}

function mayBeRounded(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null && Object.values(value).some(mayBeRounded)
}

/** @throws INVALID_ARGUMENT that names the field */
export const parseQueryBody = (text: string): QueryBody => readQueryBody(parseBody(text))

/** @throws INVALID_ARGUMENT */
export function parseBody(text: string): Record<string, unknown> {
  const body = parseJson(text)
  if (!isObject(body)) throw invalidArgument('The request body must be a JSON object with the key "query"')
  return body
}

/** @throws INVALID_ARGUMENT that names the field */
export function readQueryBody(body: Record<string, unknown>): QueryBody {
  const { query, operationName } = body
  const variables = noneAsAbsent(body.variables)
  const extensions = noneAsAbsent(body.extensions)
  if (query === undefined || query === null)
    throw invalidArgument('The request body has no "query"', 'field: query', 'allowed: a GraphQL document')
  if (typeof query !== 'string') throw invalidArgument('"query" must be a string', 'field: query')
  if (!isAbsent(operationName) && typeof operationName !== 'string')
    throw invalidArgument('"operationName" must be a string', 'field: operationName')
  if (!isAbsent(variables) && !isObject(variables))
    throw invalidArgument('"variables" must be an object', 'field: variables')
  if (!isAbsent(extensions) && !isObject(extensions))
    throw invalidArgument('"extensions" must be an object', 'field: extensions')
  return {
    query,
    operationName: typeof operationName === 'string' && operationName !== '' ? operationName : undefined,
    variables: isObject(variables) ? variables : {},
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Treats `[]` as absent, because json_encode of PHP writes an empty map as `[]`. */
function noneAsAbsent(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

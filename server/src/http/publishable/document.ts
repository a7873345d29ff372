import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { PersistedDocuments } from '../../access/persisted-documents.ts'
import { invalidArgument, persistedQueryNotFound, wrongDocumentHash } from '../../errors.ts'
import { isAbsent, isObject, parseBody, parseJson, type QueryBody, readQueryBody } from '../query-body.ts'
import { parametersOf } from './tokens.ts'

/** A request for a document, which it contains or names by its hash. */
export interface DocumentRequest extends QueryBody {
  /** The SHA-256 of the document, if the client wants to store it or has found it. */
  hash: string | undefined
}

const HASH = /^[0-9a-f]{64}$/
const PARAMETERS = ['query', 'operationName', 'variables', 'extensions'] as const

/** The parameters of `GET /query` as a body. @throws INVALID_ARGUMENT */
export function bodyInUrl(request: IncomingMessage): Record<string, unknown> {
  const parameters = parametersOf(request)
  const body: Record<string, unknown> = {}
  for (const name of PARAMETERS) {
    const [text, another] = parameters.getAll(name)
    if (another !== undefined) throw invalidArgument(`The URL contains "${name}" twice`, `field: ${name}`)
    if (text === undefined || text === '') continue
    body[name] = name === 'variables' || name === 'extensions' ? parseJson(text, `The parameter "${name}"`) : text
  }
  return body
}

export const bodyInText = parseBody

/**
 * Reads a body, and the document that it names by its hash.
 * @throws INVALID_ARGUMENT, PERSISTED_QUERY_NOT_FOUND
 */
export async function readDocumentRequest(
  body: Record<string, unknown>,
  documents: PersistedDocuments,
  tokenId: string,
): Promise<DocumentRequest> {
  const hash = hashIn(body.extensions)
  if (hash === undefined) return { ...readQueryBody(body), hash }
  if (isAbsent(body.query) || body.query === '') {
    const request = readQueryBody({ ...body, query: '' })
    const document = await documents.find(tokenId, hash)
    if (document === undefined) throw persistedQueryNotFound()
    return { ...request, query: document, hash }
  }
  const request = readQueryBody(body)
  if (createHash('sha256').update(request.query).digest('hex') !== hash) {
    documents.refuse()
    throw wrongDocumentHash(hash)
  }
  return { ...request, hash }
}

/** `persistedQuery {version, sha256Hash}` of "automatic persisted queries". @throws INVALID_ARGUMENT */
function hashIn(extensions: unknown): string | undefined {
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined
  if (isAbsent(persisted)) return undefined
  const { version, sha256Hash } = isObject(persisted) ? persisted : {}
  if (version !== 1)
    throw invalidArgument(
      'Unknown version of persisted documents',
      'field: extensions.persistedQuery.version',
      'allowed: 1',
    )
  if (typeof sha256Hash !== 'string' || !HASH.test(sha256Hash))
    throw invalidArgument(
      'Invalid hash of a persisted document',
      'field: extensions.persistedQuery.sha256Hash',
      'allowed: the SHA-256 of the document as 64 hexadecimal digits in lower case',
    )
  return sha256Hash
}

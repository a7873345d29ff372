import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PublishableAuthenticator } from '../../access/authenticate-publishable.ts'
import type { Caller } from '../../access/caller.ts'
import type { PersistedDocuments } from '../../access/persisted-documents.ts'
import { notAcceptable, originDenied, ServiceError } from '../../errors.ts'
import { MAX_BODY_BYTES } from '../../graphql/limits.ts'
import { negotiateAnswer } from '../media-types.ts'
import type { Metrics, PublishableOutcome } from '../metrics.ts'
import {
  executeDocument,
  type QueryServices,
  authorize,
  recordFailure,
  type QueryResponse,
  recordRequest,
  type RequestRecord,
  writeCompressible,
} from '../query-response.ts'
import { readQueryText } from '../query-body.ts'
import { etagOf, matches } from '../etag.ts'
import { cacheControl } from './caching.ts'
import { PREFLIGHT, readableBy, VARY, VARY_BY_TOKEN } from './cors.ts'
import { bodyInText, bodyInUrl, readDocumentRequest } from './document.ts'
import { publishableTokenOf } from './tokens.ts'

export interface PublishableRoute extends QueryServices {
  publishable: PublishableAuthenticator
  documents: PersistedDocuments
  metrics: QueryServices['metrics'] & Pick<Metrics, 'publishable'>
  /** The network of the client, as in all other limits. */
  networkOf(request: IncomingMessage): string
}

/** The headers that the steps of a request have decided; a failed request has those of its last step. */
interface PublicRecord extends RequestRecord {
  headers: Record<string, string>
}

/** `GET` and `POST /query` with a publishable token, and preflights. */
export function createPublishableRoute(
  route: PublishableRoute,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const started = route.clock.monotonic()
    const record: PublicRecord = {
      requestId: route.random.requestId(),
      contentType: negotiateAnswer(request.headers.accept),
      headers: { vary: VARY },
    }
    let outcome: PublishableOutcome = 'answered'
    const result = await respond(route, request, record).catch((error: unknown) => {
      const failed = recordFailure(route, error, record)
      outcome = refusalOf(error, record)
      return failed
    })
    if (request.method !== 'OPTIONS') route.metrics.publishable(outcome)
    await writeCompressible(request, response, { ...result, headers: { ...record.headers, ...result.headers } }, record)
    recordRequest(route, record, result.status, route.clock.monotonic() - started)
  }
}

const REFUSALS: Partial<Record<string, PublishableOutcome>> = {
  INVALID_TOKEN: 'token',
  PERMISSION_DENIED: 'permission',
  QUOTA_EXCEEDED: 'quota',
}

function refusalOf(error: unknown, { errorCode = '' }: PublicRecord): PublishableOutcome {
  if (error instanceof ServiceError && error.reason === 'origin') return 'origin'
  return REFUSALS[errorCode] ?? 'other'
}

async function respond(
  route: PublishableRoute,
  request: IncomingMessage,
  record: PublicRecord,
): Promise<QueryResponse> {
  if (request.method === 'OPTIONS') return { status: 204, body: '', headers: PREFLIGHT }
  const isGet = request.method === 'GET'
  const reading = isGet ? undefined : readQueryText(request, MAX_BODY_BYTES)
  reading?.catch(() => {}) // awaited below, unless the request is refused before
  const { token, inUrl } = publishableTokenOf(request)
  const { tokenId, origins, callerFrom } = await route.publishable.authenticate(token)
  record.tokenId = tokenId
  const { origin } = request.headers
  if (origin === undefined || !origins.includes(origin)) throw originDenied(origin)
  Object.assign(record.headers, readableBy(origin))
  if (record.contentType === undefined) throw notAcceptable()
  const caller = callerFrom(route.networkOf(request))
  record.quotaHeaders = await route.quota.spend(caller)

  const text = await reading
  const { body, failed } = await answer(route, caller, record, {
    key: `${tokenId} ${text ?? request.url}`,
    body: () => (text === undefined ? bodyInUrl(request) : bodyInText(text)),
  })
  if (!isGet || failed) return { status: 200, body }
  const etag = etagOf(body)
  const headers = { etag, 'cache-control': cacheControl({ inUrl }), ...(!inUrl && { vary: VARY_BY_TOKEN }) }
  const unchanged = matches(request.headers['if-none-match'], etag)
  return unchanged ? { status: 304, body: '', headers } : { status: 200, body, headers }
}

/** A cached response of this token, or a new one. */
async function answer(
  route: PublishableRoute,
  caller: Caller,
  record: RequestRecord,
  asked: { key: string; body: () => Record<string, unknown> },
): Promise<{ body: string | Buffer; failed: boolean }> {
  const { responseCache, documents } = route
  const cached = await responseCache.find(asked.key)
  if (cached) authorize(cached.operation, caller, record)
  // A document is stored again although its response is cached, because it may have been removed since.
  const request = await readDocumentRequest(asked.body(), documents, caller.tokenId)
  const { body, failed } = cached
    ? { body: cached.body, failed: false }
    : await executeDocument(route, request, caller, record).then(({ body, failed, cacheEntry }) => {
        if (cacheEntry) responseCache.store(asked.key, () => ({ ...cacheEntry, body }))
        return { body, failed }
      })
  if (request.hash !== undefined) await documents.keep(caller.tokenId, request.hash, request.query)
  return { body, failed }
}

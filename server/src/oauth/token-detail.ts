import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Dependencies, Services } from '../services.ts'
import type { AccessLog } from '../logging/log.ts'
import type { Subject } from './access-log.ts'
import { refuseSecretsInUrl } from './client-credentials.ts'
import { openHeaders } from './cors.ts'
import { overloaded } from './errors.ts'
import { noStore, queryOfUrl } from './http.ts'
import { paths } from './metadata.ts'
import { describeFailure } from './reply-error.ts'
import { spellScopes } from '../settings/scopes.ts'
import { readAccessToken } from './steps/read-access-token.ts'
import { requireLiveToken } from './steps/require-live-token.ts'

export interface TokenDetail {
  client_id: string
  scope: string
  /** RFC 3339, or null for a token that does not expire. */
  expires_at: string | null
}

export interface TokenDetailRequest {
  url: string
  headers: IncomingHttpHeaders
  requestId: string
  subject: Subject
}

/** `GET /oauth/api/2/token` (docs/oauth.md, step 4). Errors: invalid_request 400, invalid_token 401. */
async function tokenDetail(services: Services, { url, headers, subject }: TokenDetailRequest): Promise<TokenDetail> {
  refuseSecretsInUrl(queryOfUrl(url))
  const token = await requireLiveToken(services, readAccessToken({ headers }), subject)
  const { clientId, scopes, scopeNames, expiresAt } = token
  const scope = spellScopes(scopes, scopeNames, services.config.identity.serviceIdAliases)
  return { client_id: clientId, scope, expires_at: expiresAt?.toISOString() ?? null }
}

export interface Answer {
  status: number
  /** In addition to the common headers. */
  headers?: Record<string, string>
  body: string
}

/** The common headers, except content-length and x-request-id. */
export const TOKEN_DETAIL_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  ...noStore,
  ...openHeaders,
  'x-content-type-options': 'nosniff',
}
const EVERY_ANSWER = Object.entries(TOKEN_DETAIL_HEADERS).flat()

const OPERATION = `GET ${paths.tokenDetail}`

export async function answerTokenDetail(services: Services, asked: TokenDetailRequest): Promise<Answer> {
  try {
    return { status: 200, body: JSON.stringify(await tokenDetail(services, asked)) }
  } catch (error) {
    const failure = describeFailure(services, error, { request_id: asked.requestId, ...asked.subject })
    return { ...failure, body: JSON.stringify(failure.body) }
  }
}

/** Whether this route handles the request. Other methods go to the framework, which returns 405. */
export function isTokenDetailRequest({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && (url === paths.tokenDetail || url?.startsWith(`${paths.tokenDetail}?`) === true)
}

/** Bypasses the framework for speed: an app may send one request for each request that it receives. */
export function createTokenDetailRoute(
  services: Services,
  log: AccessLog,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async ({ url = '', headers }, response) => {
    const started = services.clock.monotonic()
    const requestId = services.random.requestId()
    const subject: Subject = {}
    const answer = await answerTokenDetail(services, { url, headers, requestId, subject })
    send(response, answer, requestId)
    log({
      request_id: requestId,
      client_id: subject.client_id,
      grant_id: subject.grant_id,
      operation: OPERATION,
      status: answer.status,
      ms: Math.round((services.clock.monotonic() - started) * 1e3) / 1e3,
      msg: 'oauth',
    })
  }
}

/** Responds to requests that admission control rejects, and calls `count` for each. */
export function createTokenDetailRefusal(
  { random }: Pick<Dependencies, 'random'>,
  count: () => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { status, headers, body } = overloaded()
  const answer: Answer = { status, headers, body: JSON.stringify(body) }
  return (_, response) => {
    count()
    send(response, answer, random.requestId())
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer, requestId: string): void {
  // Node writes a flat list of names and values without copying it.
  const lines = ['content-length', String(Buffer.byteLength(body)), 'x-request-id', requestId, ...EVERY_ANSWER]
  for (const name in headers) lines.push(name, headers[name] as string)
  response.writeHead(status, lines)
  response.end(body)
}

import type { IncomingMessage } from 'node:http'
import { tokenOf } from '../../access/token-headers.ts'
import { invalidArgument } from '../../errors.ts'

const PREFIX = 'qbp_'
const BEARER = /^bearer +qbp_/i
/** The URL parameter with the token, so that a cache that stores responses by URL stores them by token. */
const TOKEN_PARAMETER = 'access_token'

/** Whether a request is for the route of publishable tokens: it has such a token, or is a preflight. */
export function isPublishable(request: IncomingMessage): boolean {
  const { method } = request
  if (method === 'POST') return bringsInHeader(request)
  if (method === 'GET')
    return bringsInHeader(request) || parametersOf(request).get(TOKEN_PARAMETER)?.startsWith(PREFIX) === true
  return isPreflight(request)
}

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

function bringsInHeader({ headers }: IncomingMessage): boolean {
  const { 'access-token': own, access_token: alias, authorization } = headers
  if (typeof own === 'string' && own.startsWith(PREFIX)) return true
  if (typeof alias === 'string' && alias.startsWith(PREFIX)) return true
  return authorization !== undefined && BEARER.test(authorization)
}

export function parametersOf({ url = '' }: IncomingMessage): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
}

/**
 * The token of a request, and whether the URL contains it. Only GET reads the URL.
 * @throws INVALID_ARGUMENT for two different tokens
 */
export function publishableTokenOf(request: IncomingMessage): { token: string; inUrl: boolean } {
  const inHeader = tokenOf(request)
  const inUrl = request.method === 'GET' ? parametersOf(request).getAll(TOKEN_PARAMETER) : []
  const tokens = new Set([...(inHeader === undefined ? [] : [inHeader]), ...inUrl])
  if (tokens.size > 1)
    throw invalidArgument('The request contains two different access tokens', `parameter: ${TOKEN_PARAMETER}`)
  const [token = ''] = tokens
  return { token, inUrl: inUrl.length > 0 }
}

import type { FastifyRequest } from 'fastify'
import { invalidRequest, tokenMissing } from '../errors.ts'

/**
 * The access token of a resource request: `Authorization: Bearer` or the header `access_token` (contract 4, steps 4 and 5).
 * @throws OauthError invalid_request when two headers differ or the scheme is another, invalid_token when there is none
 */
export function readAccessToken(request: FastifyRequest): string {
  const authorization = request.headers.authorization
  const plain = request.headers['access_token']
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (authorization !== undefined && bearer === undefined)
    throw invalidRequest('The Authorization header must be: Bearer <access token>')
  if (Array.isArray(plain)) throw invalidRequest('The header access_token is given more than once')
  if (bearer !== undefined && plain !== undefined && bearer !== plain)
    throw invalidRequest('The headers Authorization and access_token carry different tokens')
  const token = bearer ?? plain
  if (token === undefined || token === '') throw tokenMissing()
  return token
}

import type { FastifyRequest } from 'fastify'
import { invalidRequest, tokenMissing } from '../errors.ts'
import { bodyOf } from '../http.ts'
import { readBody } from '../parameters.ts'

const FORM = 'application/x-www-form-urlencoded'

/**
 * The access token of a resource request: `Authorization: Bearer` or the header `access_token` (contract 4, steps 4 and 5).
 * @throws OauthError invalid_request when two headers differ or the scheme is another, invalid_token when there is none
 */
export function readAccessToken(request: Pick<FastifyRequest, 'headers'>): string {
  const token = headerToken(request)
  if (token === undefined) throw tokenMissing()
  return token
}

/** The same, or the parameter `access_token` of a posted form (RFC 6750 2.2), but not both. @throws OauthError */
export async function readPostedAccessToken(request: FastifyRequest): Promise<string> {
  const fromHeader = headerToken(request)
  const isForm = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === FORM
  const posted = isForm ? (await readBody(FORM, bodyOf(request))).get('access_token') : undefined
  if (fromHeader !== undefined && posted !== undefined)
    throw invalidRequest('Send the access token in a header or in the form, not in both')
  const token = fromHeader ?? posted
  if (token === undefined) throw tokenMissing()
  return token
}

function headerToken(request: Pick<FastifyRequest, 'headers'>): string | undefined {
  const authorization = request.headers.authorization
  const plain = request.headers['access_token']
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (authorization !== undefined && bearer === undefined)
    throw invalidRequest('The Authorization header must be: Bearer <access token>')
  if (Array.isArray(plain)) throw invalidRequest('The header access_token is given more than once')
  if (bearer !== undefined && plain !== undefined && bearer !== plain)
    throw invalidRequest('The headers Authorization and access_token carry different tokens')
  const token = bearer ?? plain
  return token === '' ? undefined : token
}

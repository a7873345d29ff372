import type { FastifyRequest } from 'fastify'
import { invalidRequest, tokenMissing } from '../errors.ts'
import { bodyOf } from '../http.ts'
import { readBody } from '../parameters.ts'

const FORM = 'application/x-www-form-urlencoded'

/**
 * Reads `Authorization: Bearer`, the header `access_token`, or its alias `access-token`.
 * @throws OauthError invalid_request if headers differ or the scheme is not Bearer, invalid_token if the token is
 * missing
 */
export function readAccessToken(request: Pick<FastifyRequest, 'headers'>): string {
  const token = headerToken(request)
  if (token === undefined) throw tokenMissing()
  return token
}

/** Also accepts `access_token` in a posted form (RFC 6750 2.2), but not together with a header. @throws OauthError */
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
  const named = ['access_token', 'access-token'].flatMap((name) => {
    const value = request.headers[name]
    return value === undefined || value === '' ? [] : [{ name, value: String(value) }]
  })
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (authorization !== undefined && bearer === undefined)
    throw invalidRequest('The Authorization header must be: Bearer <access token>')
  const repeated = named.find(({ value }) => value.includes(','))
  if (repeated) throw invalidRequest(`The header ${repeated.name} occurs more than once`)
  const given = bearer === undefined ? named : [{ name: 'Authorization', value: bearer }, ...named]
  const other = given.find(({ value }) => value !== given[0]?.value)
  if (other) throw invalidRequest(`The headers ${given[0]?.name} and ${other.name} carry different tokens`)
  return given[0]?.value
}

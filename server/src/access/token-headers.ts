import type { IncomingMessage } from 'node:http'
import { invalidArgument } from '../errors.ts'

export type Headers = Pick<IncomingMessage, 'headers' | 'headersDistinct'>

/** Headers that clients use by mistake. */
const mistaken = ['x-access-token', 'x-token', 'x-api-key', 'api-key', 'token']

export function misplaced({ headers }: Headers): string | undefined {
  if (headers.authorization) return 'the header Authorization without the word Bearer before a token'
  const found = mistaken.find((name) => headers[name] !== undefined)
  return found === undefined ? undefined : `the header ${found}, which is not read`
}

/**
 * Reads `access-token` or its aliases `access_token` and `Authorization: Bearer`; equal values may occur more than
 * once.
 */
export function tokenOf(request: Headers): string | undefined {
  const { 'access-token': only, access_token: alias, authorization } = request.headers
  // Node joins repeated headers with a comma, which no token contains.
  if (typeof only === 'string' && alias === undefined && authorization === undefined && !only.includes(','))
    return only.trim() || undefined
  const distinct = request.headersDistinct
  const bearer = distinct.authorization?.map((value) => /^bearer +(.*)$/i.exec(value)?.[1] ?? '')
  const sent = {
    'access-token': distinct['access-token'],
    access_token: distinct['access_token'],
    Authorization: bearer,
  }
  const given = Object.entries(sent).flatMap(([header, values = []]) =>
    values.flatMap((value) => (value.trim() === '' ? [] : [{ header, token: value.trim() }])),
  )
  const [first] = given
  if (given.some(({ token }) => token !== first?.token)) throw differentTokens(given.map(({ header }) => header))
  return first?.token
}

function differentTokens(headers: readonly string[]): Error {
  const names = [...new Set(headers)]
  const where = names.length > 1 ? `the headers ${names.join(' and ')}` : `${headers.length} headers ${names[0]}`
  return invalidArgument(
    `The request contains two different access tokens in ${where}`,
    `headers: ${headers.join(', ')}`,
  )
}

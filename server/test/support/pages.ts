import { createToken, type NewToken } from '../../src/access/server-tokens.ts'
import type { Dependencies } from '../../src/services.ts'
import type { ErrorEntry } from '../../src/http/error-envelope.ts'
import { BUSINESS_ACCOUNT } from './personas.ts'

/** The origin whose pages can use the tokens of tests. */
export const PAGE = 'http://localhost:5173'

/** A publishable token for space 40, of an account without limits. */
export async function publishableToken(
  deps: Dependencies,
  { origins = [PAGE], spaces = [40], ...wanted }: Partial<NewToken> & { origins?: string[]; spaces?: number[] } = {},
): Promise<{ token: string; tokenId: string }> {
  const { token, record } = await createToken(deps, {
    accountId: BUSINESS_ACCOUNT,
    name: 'page',
    plan: 'unlimited',
    publishable: { origins, spaces },
    ...wanted,
  })
  return { token, tokenId: record.tokenId }
}

export interface PageAnswer {
  status: number
  headers: Headers
  text: string
  data: Record<string, unknown> | null | undefined
  /** The first error in short: `PERMISSION_DENIED 403 …`. */
  error: string | undefined
  details: readonly string[]
}

/** Sends a request as the browser of a visitor, by default from an allowed page. */
export async function fromPage(url: string, path: string, init: RequestInit = {}, origin = PAGE): Promise<PageAnswer> {
  const headers = { ...(origin === '' ? {} : { origin }), ...(init.headers as Record<string, string>) }
  const response = await fetch(url + path, { ...init, headers })
  const text = await response.text()
  const { data, errors } = (text === '' ? {} : JSON.parse(text)) as { data?: PageAnswer['data']; errors?: ErrorEntry[] }
  const [first] = errors ?? []
  return {
    status: response.status,
    headers: response.headers,
    text,
    data,
    error: first && `${first.extensions.code} ${first.extensions.http_status} ${first.message}`,
    details: first?.extensions.details ?? [],
  }
}

/** `POST /query` with the token in its header. */
export const post = (url: string, token: string, body: object, origin = PAGE): Promise<PageAnswer> =>
  fromPage(
    url,
    '/query',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'access-token': token },
      body: JSON.stringify(body),
    },
    origin,
  )

/** `GET /query` with the token in the URL. Objects are sent as JSON. */
export function get(
  url: string,
  parameters: Record<string, string | object>,
  { headers = {}, origin = PAGE }: { headers?: Record<string, string>; origin?: string } = {},
): Promise<PageAnswer> {
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return fromPage(url, `/query?${new URLSearchParams(texts).toString()}`, { headers }, origin)
}

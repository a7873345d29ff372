/** An authorization server under test. All servers have the same calls and describe outcomes in the same words. */
export interface Target {
  issuer: string
  /** An app that authenticates in the body. */
  app: TargetApp
  /** Another app, which authenticates with HTTP Basic. */
  other: TargetApp
  paths: { token: string; userInfo: string; introspect: string; revoke: string }
  /**
   * Opens the authorization endpoint as a user who signs in and allows the request. Returns the final redirect to the
   * app or the status of the page.
   */
  authorize(query: string, options?: { form?: string; signedOut?: boolean }): Promise<Arrival>
  request(path: string, init: RequestInit): Promise<Response>
}

export interface TargetApp {
  clientId: string
  secret: string
  redirectUri: string
}

export type Arrival = { at: 'app'; url: URL } | { at: 'page'; status: number }

export const STATE = 'state-of-the-app'
export const SCOPE = 'openid'

export type Fields = Record<string, string | undefined>

export function formOf(fields: Fields): string {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new URLSearchParams(given).toString()
}

/** The query of an ordinary request with changed fields; an undefined field is omitted. */
export function authorizationQuery(target: Target, fields: Fields = {}): string {
  return formOf({
    client_id: target.app.clientId,
    redirect_uri: target.app.redirectUri,
    response_type: 'code',
    scope: SCOPE,
    state: STATE,
    ...fields,
  })
}

/** Describes an outcome: `code`, `error invalid_scope`, `page 400`, and problems such as `without state`. */
export function described(arrival: Arrival): string {
  if (arrival.at === 'page') return `page ${arrival.status}`
  const { hash } = arrival.url
  const searchParams = hash === '' ? arrival.url.searchParams : new URLSearchParams(hash.slice(1))
  const faults = [
    ...(searchParams.get('state') === STATE ? [] : ['without state']),
    ...(searchParams.has('iss') ? [] : ['without iss']),
    ...(hash === '' ? [] : ['in the fragment']),
  ]
  const error = searchParams.get('error')
  const outcome = error === null ? (searchParams.has('code') ? 'code' : 'nothing') : `error ${error}`
  return [outcome, ...faults].join(', ')
}

export async function codeFrom(target: Target, fields: Fields = {}): Promise<string> {
  const arrival = await target.authorize(authorizationQuery(target, fields))
  const code = arrival.at === 'app' ? arrival.url.searchParams.get('code') : null
  if (code === null) throw new Error(`no code, but ${described(arrival)}`)
  return code
}

export interface Answer {
  text: string
  body: Record<string, unknown>
}

/** Sends a form; undefined fields are omitted. */
export async function post(
  target: Target,
  path: string,
  fields: Fields | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return answerOf(
    await target.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof fields === 'string' ? fields : formOf(fields),
    }),
  )
}

/** Describes a response: `200 tokens`, `400 invalid_grant`. */
export async function answerOf(response: Response): Promise<Answer> {
  const raw = await response.text()
  let body: Record<string, unknown> = {}
  try {
    body = JSON.parse(raw) as Record<string, unknown>
  } catch {
    // `oidc-provider` returns a page for some errors.
  }
  const outcome =
    typeof body.error === 'string'
      ? body.error
      : 'access_token' in body
        ? 'tokens'
        : 'active' in body
          ? `active ${String(body.active)}`
          : 'sub' in body
            ? 'user'
            : 'nothing'
  return { text: `${response.status} ${outcome}`, body }
}

export const credentials = ({ clientId, secret }: TargetApp) => ({ client_id: clientId, client_secret: secret })
export const basicOf = ({ clientId, secret }: TargetApp) => ({
  authorization: `Basic ${btoa(`${clientId}:${secret}`)}`,
})

export const redeem = (target: Target, code: string, fields: Fields = {}) =>
  post(target, target.paths.token, {
    ...credentials(target.app),
    grant_type: 'authorization_code',
    code,
    redirect_uri: target.app.redirectUri,
    ...fields,
  })

export const refresh = (target: Target, refreshToken: unknown, fields: Fields = {}) =>
  post(target, target.paths.token, {
    ...credentials(target.app),
    grant_type: 'refresh_token',
    refresh_token: String(refreshToken),
    ...fields,
  })

export async function tokensFrom(target: Target, fields: Fields = {}): Promise<Record<string, string>> {
  const { text, body } = await redeem(target, await codeFrom(target, fields))
  if (text !== '200 tokens') throw new Error(`no tokens, but ${text}`)
  return body as Record<string, string>
}

export async function userInfo(target: Target, accessToken: unknown, path = target.paths.userInfo): Promise<string> {
  const headers = { authorization: `Bearer ${String(accessToken)}` }
  return (await answerOf(await target.request(path, { headers }))).text
}

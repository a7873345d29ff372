import { QuestboardError } from '../errors.ts'
import { exchange } from '../transport.ts'
import { OAuthError } from './oauth-error.ts'
import type { SignInSettings } from './options.ts'

type Answer = Record<string, unknown>
type RequestSettings = Pick<SignInSettings, 'fetch' | 'timeoutMs'>

/** Steps 2 and 3: posts a form to the token endpoint; undefined parameters are omitted. */
export function postForm(
  settings: SignInSettings,
  parameters: Record<string, string | undefined>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const request = {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(given).toString(),
  }
  return sendRequest(settings, settings.endpoints.token, request, signal)
}

/** Steps 4 and 5: a request with an access token. */
export function getWithToken(
  settings: SignInSettings,
  url: string,
  accessToken: string,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const bearer = settings.tokenHeader === 'authorization'
  const headers = { accept: 'application/json', [settings.tokenHeader]: bearer ? `Bearer ${accessToken}` : accessToken }
  return sendRequest(settings, url, { method: 'GET', headers }, signal)
}

/** A public document of the service. */
export function getJson(settings: RequestSettings, url: string): Promise<Answer> {
  return sendRequest(settings, url, { method: 'GET', headers: { accept: 'application/json' } }, undefined)
}

async function sendRequest(
  settings: RequestSettings,
  url: string,
  request: Parameters<typeof exchange>[2],
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { response, text } = await exchange(settings, url, request, signal).catch(asOAuthError)
  const answer = parse(text)
  const facts = { httpStatus: response.status, requestId: response.headers.get('x-request-id') ?? undefined }
  // Some services return errors with status 200.
  if (typeof answer?.error === 'string') {
    const { error, error_description: description } = answer
    throw new OAuthError(error, typeof description === 'string' ? description : error, facts)
  }
  if (!response.ok || !answer)
    throw new OAuthError(
      'invalid_response',
      `${url} responded with ${response.status} and without a JSON object`,
      facts,
    )
  return answer
}

function parse(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Answer) : undefined
  } catch {
    // Not JSON, for example an error page of a proxy; the caller reports the status.
    return undefined
  }
}

function asOAuthError(error: unknown): never {
  if (!(error instanceof QuestboardError)) throw error
  throw new OAuthError(error.code.toLowerCase(), error.message, { cause: error.cause })
}

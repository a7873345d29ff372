import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { retryAfter } from '../../outgoing/retry-after.ts'
import type { Outgoing } from '../../outgoing/outgoing.ts'

export interface LogoutRequest {
  url: string
  token: string
  timeout: number
  signal: AbortSignal
}

/** The result of an attempt. `pause` is the time in milliseconds that the app asks to wait. */
export type SendResult = { delivered: true } | { delivered: false; error: string; pause: number | undefined }

/**
 * Sends a logout token (OpenID Connect Back-Channel Logout 1.0, 2.5). Follows no redirect, and reads only the status and
 * `Retry-After` of the response.
 */
export async function sendLogoutToken(
  outgoing: Outgoing,
  { url, token, timeout, signal }: LogoutRequest,
): Promise<SendResult> {
  const request = {
    url,
    method: 'POST' as const,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
    maxBytes: 0,
    timeout,
    redirects: 0,
    signal,
  }
  try {
    return await outgoing.send(request, ({ status, headers }) =>
      Promise.resolve<SendResult>(
        status >= 200 && status < 300
          ? { delivered: true }
          : {
              delivered: false,
              error: `answered ${status}`,
              pause: status === 429 || status === 503 ? retryAfter(headers) : undefined,
            },
      ),
    )
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    return { delivered: false, error: error.message, pause: undefined }
  }
}

import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { retryAfter } from '../../outgoing/retry-after.ts'
import type { Outgoing } from '../../outgoing/outgoing.ts'

export interface LogoutRequest {
  url: string
  token: string
  timeout: number
  signal: AbortSignal
}

/** The result of an attempt: the app was told, or the error and the pause in milliseconds that the app asks for. */
export type SendResult = { told: true } | { told: false; error: string; pause: number | undefined }

/**
 * Sends a logout token (OpenID Connect Back-Channel Logout 1.0, 2.5). Follows no redirect, and reads nothing of the
 * response but its status.
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
          ? { told: true }
          : {
              told: false,
              error: `answered ${status}`,
              pause: status === 429 || status === 503 ? retryAfter(headers) : undefined,
            },
      ),
    )
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    return { told: false, error: error.message, pause: undefined }
  }
}

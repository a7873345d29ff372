import { OAuthError } from './oauth-error.ts'
import type { Tokens } from './tokens.ts'

/** Keeps a user's tokens valid. */
export interface UserSession {
  /** The current tokens. */
  readonly tokens: Tokens
  /**
   * Returns a valid access token; refreshes it if it is about to expire. Concurrent calls share one refresh.
   * @throws OAuthError invalid_grant if the user must sign in again
   */
  accessToken(): Promise<string>
}

export interface SessionSource {
  refresh(tokens: Tokens): Promise<Tokens>
  /** Stores new tokens. Awaited before they are used, because the old ones are no longer valid. */
  onTokens: (tokens: Tokens) => void | Promise<void>
  now: () => number
  refreshBeforeMs: number
}

export function openSession(initial: Tokens, source: SessionSource): UserSession {
  let tokens = initial
  let isStored = true
  let renewing: Promise<Tokens> | undefined

  async function renew(): Promise<Tokens> {
    try {
      // Tokens that could not be stored are stored first.
      if (isStored) tokens = await source.refresh(tokens)
    } catch (error) {
      // The service is unavailable, and the old token is still valid.
      if (isPassing(error) && source.now() < (tokens.expiresAt ?? Infinity)) return tokens
      throw error
    }
    isStored = false
    await source.onTokens(tokens)
    isStored = true
    return tokens
  }

  function isFresh({ expiresAt, refreshToken }: Tokens): boolean {
    return expiresAt === null || refreshToken === null || source.now() < expiresAt - source.refreshBeforeMs
  }

  return {
    get tokens() {
      return tokens
    },
    async accessToken() {
      if (isStored && !renewing && isFresh(tokens)) return tokens.accessToken
      renewing ??= renew().finally(() => {
        renewing = undefined
      })
      return (await renewing).accessToken
    },
  }
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof OAuthError)) return false
  return error.code === 'network_error' || error.code === 'timeout' || (error.httpStatus ?? 0) >= 500
}

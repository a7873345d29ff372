import type { FastifyRequest } from 'fastify'
import type { SignIn } from '../identity/sign-in.ts'
import { refuseSecretsInUrl } from './client-credentials.ts'
import { queryOf } from './http.ts'
import { readAccessToken } from './steps/read-access-token.ts'
import { requireLiveToken } from './steps/require-live-token.ts'

export interface TokenDetail {
  client_id: string
  scope: string
  /** RFC 3339, or null for a token that lives until it is revoked. */
  expires_at: string | null
}

/** `GET /oauth/api/2/token` (contract 4, step 4). Fails with: invalid_request 400, invalid_token 401. */
export async function answerTokenDetail(signIn: SignIn, request: FastifyRequest): Promise<TokenDetail> {
  refuseSecretsInUrl(queryOf(request))
  const token = await requireLiveToken(signIn, readAccessToken(request))
  return {
    client_id: token.clientId,
    scope: token.scopes.join(' '),
    expires_at: token.expiresAt?.toISOString() ?? null,
  }
}

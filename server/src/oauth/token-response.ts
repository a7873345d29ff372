/**
 * RFC 6749 5.1. `expires_in` (seconds) and `refresh_token` only for apps with expiring tokens, `id_token` only for
 * openid.
 */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  scope: string
  expires_in?: number
  refresh_token?: string
  id_token?: string
}

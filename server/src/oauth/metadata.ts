import type { Services } from '../services.ts'
import { allScopes } from '../settings/scopes.ts'
import { mcpResource } from './resources.ts'
import { SIGNING_ALGORITHM } from './signing-keys.ts'

export const paths = {
  authorize: '/oauth',
  token: '/oauth/auth/2/token',
  tokenDetail: '/oauth/api/2/token',
  userData: '/oauth/api/2/user',
  userInfo: '/oauth/userinfo',
  introspect: '/oauth/introspect',
  revoke: '/oauth/revoke',
  keys: '/oauth/jwks',
  logout: '/oauth/logout',
} as const

/** RFC 8414 and OpenID Connect Discovery 1.0; both documents are equal. */
export function metadata({ site: { issuer }, config }: Pick<Services, 'site' | 'config'>): Record<string, unknown> {
  const authMethods = ['client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    userinfo_endpoint: issuer + paths.userInfo,
    jwks_uri: issuer + paths.keys,
    end_session_endpoint: issuer + paths.logout,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    introspection_endpoint: issuer + paths.introspect,
    revocation_endpoint: issuer + paths.revoke,
    protected_resources: [mcpResource({ issuer })],
    scopes_supported: [...allScopes, ...config.identity.serviceIdAliases],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: [...authMethods, 'none'],
    introspection_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: [...authMethods, 'none'],
    client_id_metadata_document_supported: config.clientHosts.length > 0,
    code_challenge_methods_supported: ['S256', 'plain'],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    subject_types_supported: ['public', 'pairwise'],
    id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
    claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'sid'],
  }
}

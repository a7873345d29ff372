import type { Integration } from './integration.ts'

/** The members of the discovery document that clients need (server/src/oauth/metadata.ts). */
export interface Discovery {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  end_session_endpoint: string
  jwks_uri: string
  revocation_endpoint: string
  introspection_endpoint: string
}

export const SETTINGS = [
  'discovery',
  'issuer',
  'clientId',
  'authentication',
  'redirectUri',
  'scope',
  'authorization',
  'token',
  'userInfo',
  'endSession',
  'keys',
  'revocation',
  'introspection',
] as const
export type Setting = (typeof SETTINGS)[number]

/** The settings of any OpenID Connect library. Null if they are not for this app. */
export function oidcSettings(app: Integration, discovery: Discovery): Record<Setting, string | null> {
  return {
    discovery: `${discovery.issuer}/.well-known/openid-configuration`,
    issuer: discovery.issuer,
    clientId: app.clientId,
    authentication: app.publicClient ? 'none' : 'client_secret_basic',
    redirectUri: app.redirectUri,
    scope: app.scopes.join(' '),
    authorization: discovery.authorization_endpoint,
    token: discovery.token_endpoint,
    userInfo: app.scopes.includes('openid') ? discovery.userinfo_endpoint : null,
    endSession: discovery.end_session_endpoint,
    keys: discovery.jwks_uri,
    revocation: discovery.revocation_endpoint,
    introspection: app.publicClient ? null : discovery.introspection_endpoint,
  }
}

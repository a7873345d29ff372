import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose'
import * as openid from 'openid-client'
import type { SystemClock } from '../../src/clock.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** A client's session, started by an id_token. */
export interface ClientSession {
  sub: string
  sid: string | undefined
}

export interface LogoutClient {
  upstream: Upstream
  /** The status of the next responses to valid logout tokens. */
  status: number
  sessions: ClientSession[]
  /** The logout tokens that were received, and why each was refused. */
  received: { token: string; fault: string | undefined }[]
  trust(config: openid.Configuration, clientId: string): void
  close(): Promise<void>
}

/**
 * A client with sessions of its own and a back-channel logout endpoint, which validates logout tokens as OpenID Connect
 * Back-Channel Logout 1.0, 2.6 says.
 */
export async function startLogoutClient(clock: Pick<SystemClock, 'now'>): Promise<LogoutClient> {
  const seen = new Set<string>()
  let trusted: { issuer: string; keys: ReturnType<typeof createRemoteJWKSet>; clientId: string }
  const upstream = await startUpstream((request, response) => {
    void answer(request).then((status) => response.writeHead(status, { 'cache-control': 'no-store' }).end())
  })
  const client: LogoutClient = {
    upstream,
    status: 200,
    sessions: [],
    received: [],
    trust(config, clientId) {
      const { issuer, jwks_uri } = config.serverMetadata()
      trusted = { issuer, keys: createRemoteJWKSet(new URL(jwks_uri as string), { cooldownDuration: 0 }), clientId }
    },
    close: () => upstream.close(),
  }

  async function answer({ headers, body }: { headers: Record<string, unknown>; body: string }): Promise<number> {
    const form = new URLSearchParams(body)
    const token = form.get('logout_token') ?? ''
    const fault =
      headers['content-type'] !== 'application/x-www-form-urlencoded'
        ? 'not a form'
        : [...form.keys()].join() !== 'logout_token'
          ? `unexpected parameters ${[...form.keys()].join()}`
          : await accept(token)
    client.received.push({ token, fault })
    return fault === undefined ? client.status : 400
  }

  async function accept(token: string): Promise<string | undefined> {
    let payload: JWTPayload
    try {
      const verified = await jwtVerify(token, trusted.keys, {
        issuer: trusted.issuer,
        audience: trusted.clientId,
        typ: 'logout+jwt',
        algorithms: ['RS256'],
        requiredClaims: ['iat', 'exp', 'jti', 'events'],
        maxTokenAge: '2 minutes',
        currentDate: new Date(clock.now()),
      })
      ;({ payload } = verified)
    } catch (error) {
      return (error as Error).message
    }
    const { sub, sid, events, nonce, jti = '' } = payload as JWTPayload & { sid?: string; events?: unknown }
    if (sub === undefined && sid === undefined) return 'neither sub nor sid'
    if (typeof events !== 'object' || events === null || !(LOGOUT_EVENT in events)) return 'not a logout'
    if (nonce !== undefined) return 'a nonce'
    if (seen.has(jti)) return 'jti was used before'
    seen.add(jti)
    client.sessions = client.sessions.filter(
      (session) => (sid !== undefined && session.sid !== sid) || (sub !== undefined && session.sub !== sub),
    )
    return undefined
  }

  return client
}

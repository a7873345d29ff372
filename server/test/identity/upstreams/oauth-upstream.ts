import { createHash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { type ReceivedRequest, startUpstream, type Upstream } from '../../support/upstream.ts'
import { json } from './answers.ts'

type Override = (request: ReceivedRequest, response: ServerResponse) => void

interface Grant {
  user: unknown
  redirectUri: string
  challenge: string
  nonce: string
}

/**
 * Fakes Discord, GitHub, X and Telegram. The endpoints have their real paths and check client, code, redirect URI and
 * PKCE.
 */
export interface OauthUpstream extends Upstream {
  /** Consents as a user and returns the query of the callback. */
  consent(authorizeUrl: string, user: unknown): URLSearchParams
  /** Handlers that replace the endpoint of a path. */
  override: Map<string, Override>
  /** Changes the claims or the signature of Telegram id_tokens. */
  idToken: (claims: JWTPayload) => Promise<string>
  sign: (claims: JWTPayload) => Promise<string>
  /** The clock for id_tokens. By default the system clock. */
  now: () => number
}

export const clientId = 'client-of-questboard'
export const clientSecret = 'secret of questboard'

export async function startOauthUpstream(): Promise<OauthUpstream> {
  const grants = new Map<string, Grant>()
  const users = new Map<string, unknown>()
  const override = new Map<string, Override>()
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const sign = (claims: JWTPayload) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(privateKey)

  function redeem(request: ReceivedRequest): { status: number; body: Record<string, unknown>; grant?: Grant } {
    const form = new URLSearchParams(request.body)
    const basic = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString()
    const expected = [clientId, clientSecret].map(encodeURIComponent).join(':')
    const known =
      basic === expected || (form.get('client_id') === clientId && form.get('client_secret') === clientSecret)
    if (!known) return { status: 401, body: { error: 'invalid_client' } }
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri'))
      return { status: 400, body: { error: 'invalid_grant' } }
    const accessToken = randomBytes(16).toString('hex')
    users.set(accessToken, grant.user)
    return { status: 200, body: { access_token: accessToken, token_type: 'bearer', scope: '' }, grant }
  }

  async function telegramToken(request: ReceivedRequest) {
    const { status, body, grant } = redeem(request)
    if (!grant) return { status, body }
    const now = Math.floor(node.now() / 1000)
    const claims = { iss: node.url, aud: clientId, sub: '77', iat: now, exp: now + 600, nonce: grant.nonce }
    return { status, body: { ...body, id_token: await node.idToken({ ...claims, ...(grant.user as object) }) } }
  }

  const upstream = await startUpstream(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://upstream')
    const replaced = override.get(pathname)
    if (replaced) return replaced(request, response)
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, {
          issuer: node.url,
          authorization_endpoint: `${node.url}/auth`,
          token_endpoint: `${node.url}/token`,
          jwks_uri: `${node.url}/jwks`,
        })
      case '/jwks':
        return json(response, 200, { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] })
      case '/token': {
        const { status, body } = await telegramToken(request)
        return json(response, status, body)
      }
      case '/login/oauth/access_token': {
        // GitHub reports errors with status 200.
        return json(response, 200, redeem(request).body)
      }
      case '/api/v10/oauth2/token':
      case '/2/oauth2/token': {
        const { status, body } = redeem(request)
        return json(response, status, body)
      }
      case '/api/v10/users/@me':
      case '/user':
      case '/2/users/me': {
        const user = users.get(request.headers.authorization?.slice(7) ?? '')
        return user === undefined ? json(response, 401, { message: '401: Unauthorized' }) : json(response, 200, user)
      }
      default:
        return json(response, 404, {})
    }
  })
  const node: OauthUpstream = Object.assign(upstream, {
    override,
    sign,
    idToken: sign,
    now: Date.now,
    consent(authorizeUrl: string, user: unknown) {
      const asked = new URL(authorizeUrl).searchParams
      const code = randomBytes(16).toString('hex')
      grants.set(code, {
        user,
        redirectUri: asked.get('redirect_uri') ?? '',
        challenge: asked.get('code_challenge') ?? '',
        nonce: asked.get('nonce') ?? '',
      })
      return new URLSearchParams({ code, state: asked.get('state') ?? '' })
    },
  })
  return node
}

export const upstreamSettings = (url: string): Record<string, string> =>
  Object.fromEntries([
    ...['DISCORD', 'GITHUB', 'TWITTER', 'TELEGRAM'].flatMap((kind) => [
      [`QUESTBOARD_${kind}_CLIENT_ID`, clientId],
      [`QUESTBOARD_${kind}_CLIENT_SECRET`, clientSecret],
    ]),
    ...['DISCORD_SITE', 'GITHUB_SITE', 'GITHUB_API', 'TWITTER_SITE', 'TWITTER_API', 'TELEGRAM_ISSUER'].map((name) => [
      `QUESTBOARD_${name}`,
      url,
    ]),
  ]) as Record<string, string>

import { z } from 'zod'
import { requestUpstream, upstreamUnavailable } from '../request-upstream.ts'
import { identityError } from '../identity-error.ts'
import type { Services } from '../../services.ts'
import type { UpstreamClient } from '../../settings/social-settings.ts'

const tokenShape = z.object({
  access_token: z.string().min(1).max(8192),
  token_type: z.string().regex(/^bearer$/i),
  id_token: z.string().max(16_384).optional(),
})
const errorShape = z.object({ error: z.string().max(200) })

/** A token endpoint and our client registration. */
export interface Redemption {
  name: string
  tokenUrl: string
  client: UpstreamClient
  /** The place where the upstream service expects the secret: the form or HTTP Basic. */
  secretIn: 'form' | 'basic'
}

export interface CodeGrant extends Redemption {
  code: string
  redirectUri: string
  verifier: string
}

/** Redeems a code; never retries. @throws ApiError bad_signature if the code is refused, unavailable */
export async function redeemUpstreamCode(services: Services, grant: CodeGrant): Promise<z.infer<typeof tokenShape>> {
  const { status, json } = await requestUpstream(services, grant.name, codeRequest(grant))
  // GitHub reports errors with status 200.
  const failure = errorShape.safeParse(json).data
  if (failure || (status >= 400 && status < 500)) {
    services.log.warn({ upstream: grant.name, status, error: failure?.error }, 'an upstream refused a code')
    throw identityError('bad_signature', `${grant.name} did not accept the sign-in; start again`)
  }
  const tokens = status === 200 ? tokenShape.safeParse(json).data : undefined
  if (!tokens) throw upstreamUnavailable(grant.name)
  return tokens
}

/** RFC 6749 4.1.3, RFC 7636 4.5. */
export function codeRequest(grant: CodeGrant) {
  const { clientId, clientSecret } = grant.client
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: grant.code,
    redirect_uri: grant.redirectUri,
    code_verifier: grant.verifier,
    client_id: clientId,
    ...(grant.secretIn === 'form' && { client_secret: clientSecret }),
  })
  const basic = [clientId, clientSecret].map(encodeURIComponent).join(':')
  return {
    url: grant.tokenUrl,
    method: 'POST' as const,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(grant.secretIn === 'basic' && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    },
    body: form.toString(),
  }
}

/** @throws ApiError unavailable */
export async function readUpstreamUser<T>(
  services: Services,
  name: string,
  url: string,
  accessToken: string,
  shape: z.ZodType<T>,
): Promise<T> {
  const { status, json } = await requestUpstream(services, name, {
    url,
    headers: { authorization: `Bearer ${accessToken}` },
  })
  const user = status === 200 ? shape.safeParse(json) : undefined
  if (!user?.success) throw upstreamUnavailable(name)
  return user.data
}

/** @throws ApiError unsupported */
export function requireClient(client: UpstreamClient | undefined, name: string): UpstreamClient {
  if (!client) throw identityError('unsupported', `${name} is not configured`)
  return client
}

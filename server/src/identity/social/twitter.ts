import { z } from 'zod'
import { readUpstreamUser, redeemUpstreamCode, type Redemption, requireClient } from './oauth-client.ts'
import type { RedirectKind, Upstreams } from './redirect-kind.ts'
import { whyOff } from '../../settings/social-settings.ts'
import { upstreamNameShape } from './upstream-name.ts'

const name = 'X'
const userShape = z.object({
  data: z.object({ id: z.string().regex(/^\d{1,20}$/), username: upstreamNameShape }),
})

/** OAuth 2.0 with PKCE as a confidential client. The subject is the numeric id. */
export const twitter: RedirectKind = {
  kind: 'Twitter',
  label: 'X',
  off: ({ identity }) => whyOff(identity.unset.twitter),
  issuer: ({ identity }) => identity.twitter.site,
  async authorizeUrl({ config }) {
    const { client, site } = config.identity.twitter
    // users/me requires tweet.read too.
    const scope = 'users.read tweet.read'
    return { url: `${site}/i/oauth2/authorize`, clientId: requireClient(client, name).clientId, scope }
  },
  redemption,
  async identify(services, answer) {
    const tokens = await redeemUpstreamCode(services, { ...answer, ...(await redemption(services)) })
    const url = `${services.config.identity.twitter.api}/2/users/me`
    const { data } = await readUpstreamUser(services, name, url, tokens.access_token, userShape)
    return { subject: data.id, username: data.username }
  },
}

async function redemption({ config }: Upstreams): Promise<Redemption> {
  const { client, api } = config.identity.twitter
  return { name, tokenUrl: `${api}/2/oauth2/token`, client: requireClient(client, name), secretIn: 'basic' }
}

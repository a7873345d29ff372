import { z } from 'zod'
import { readUpstreamUser, redeemUpstreamCode, type Redemption, requireClient } from './oauth-client.ts'
import type { RedirectKind, Upstreams } from './redirect-kind.ts'
import { whyOff } from '../../settings/social-settings.ts'
import { upstreamNameShape } from './upstream-name.ts'

const name = 'GitHub'
const userShape = z.object({ id: z.number().int().positive(), login: upstreamNameShape })

/** OAuth 2.0 with PKCE. The subject is the numeric id, because logins can change owners. */
export const github: RedirectKind = {
  kind: 'Github',
  label: 'GitHub',
  off: ({ identity }) => whyOff(identity.unset.github),
  issuer: ({ identity }) => `${identity.github.site}/login/oauth`,
  async authorizeUrl({ config }) {
    const { client, site } = config.identity.github
    // A token without scopes can read public data.
    return { url: `${site}/login/oauth/authorize`, clientId: requireClient(client, name).clientId, scope: '' }
  },
  redemption,
  async identify(services, answer) {
    const tokens = await redeemUpstreamCode(services, { ...answer, ...(await redemption(services)) })
    const url = `${services.config.identity.github.api}/user`
    const user = await readUpstreamUser(services, name, url, tokens.access_token, userShape)
    return { subject: String(user.id), username: user.login }
  },
}

async function redemption({ config }: Upstreams): Promise<Redemption> {
  const { client, site } = config.identity.github
  return { name, tokenUrl: `${site}/login/oauth/access_token`, client: requireClient(client, name), secretIn: 'form' }
}

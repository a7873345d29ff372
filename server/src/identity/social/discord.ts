import { z } from 'zod'
import { readUpstreamUser, redeemUpstreamCode, type Redemption, requireClient } from './oauth-client.ts'
import type { RedirectKind, Upstreams } from './redirect-kind.ts'
import { whyOff } from '../../settings/social-settings.ts'
import { upstreamNameShape } from './upstream-name.ts'

const name = 'Discord'
const userShape = z.object({ id: z.string().regex(/^\d{1,20}$/), username: upstreamNameShape })

/** OAuth 2.0 with PKCE. The subject is the snowflake id, because usernames can change owners. */
export const discord: RedirectKind = {
  kind: 'Discord',
  label: 'Discord',
  off: ({ identity }) => whyOff(identity.unset.discord),
  issuer: ({ identity }) => identity.discord.site,
  async authorizeUrl({ config }) {
    const { client, site } = config.identity.discord
    return { url: `${site}/oauth2/authorize`, clientId: requireClient(client, name).clientId, scope: 'identify' }
  },
  redemption,
  async identify(services, answer) {
    const tokens = await redeemUpstreamCode(services, { ...answer, ...(await redemption(services)) })
    const url = `${services.config.identity.discord.site}/api/v10/users/@me`
    const user = await readUpstreamUser(services, name, url, tokens.access_token, userShape)
    return { subject: user.id, username: user.username }
  },
}

async function redemption({ config }: Upstreams): Promise<Redemption> {
  const { client, site } = config.identity.discord
  return { name, tokenUrl: `${site}/api/v10/oauth2/token`, client: requireClient(client, name), secretIn: 'form' }
}

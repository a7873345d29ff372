import { LOGOUT_TOKEN_LIFETIME } from '../../lifetimes.ts'
import type { Services } from '../../services.ts'
import type { App } from '../app.queries.ts'
import { signJwt } from '../sign-jwt.ts'
import { subjectFor } from '../subject.ts'
import type { LogoutNotice } from './queue.queries.ts'

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** OpenID Connect Back-Channel Logout 1.0, 2.4. Each attempt has a new token, because the lifetime is short. */
export async function createLogoutToken(
  services: Services,
  app: App,
  { accountId, sid }: Pick<LogoutNotice, 'accountId' | 'sid'>,
): Promise<string> {
  const now = Math.floor(services.clock.now() / 1000)
  return signJwt(services, 'logout+jwt', {
    iss: services.site.issuer,
    ...(accountId !== null && { sub: await subjectFor(services, app, accountId) }),
    aud: app.clientId,
    iat: now,
    exp: now + LOGOUT_TOKEN_LIFETIME / 1000,
    jti: services.random.uuid(),
    sid,
    events: { [LOGOUT_EVENT]: {} },
  })
}

import type { Caller } from '../access/caller.ts'
import { invalidToken, scopeDenied } from '../errors.ts'
import { AREAS } from '../graphql/context.ts'
import type { Subject } from '../oauth/access-log.ts'
import { OauthError } from '../oauth/errors.ts'
import { mcpResource } from '../oauth/resources.ts'
import { requireLiveToken } from '../oauth/steps/require-live-token.ts'
import type { Services } from '../services.ts'
import { MCP } from '../settings/scopes.ts'

export interface User {
  caller: Caller
  subject: Subject
}

export type AuthenticateUser = (token: string) => Promise<User>

/**
 * An OAuth access token that is bound to `/mcp`. It reads what a server token of the account reads; all such tokens of
 * an account share the limits of the plan `free`.
 * @throws INVALID_TOKEN, PERMISSION_DENIED without the scope
 */
export function createUserAuthenticator(services: Services): AuthenticateUser {
  const { perSecond, perDay } = services.config.freePlan
  const resource = mcpResource(services.site)
  return async (value) => {
    const subject: Subject = {}
    const { accountId, scopes } = await requireLiveToken(services, value, subject, resource).catch((error: unknown) => {
      if (error instanceof OauthError && error.code === 'invalid_token') throw notLive()
      throw error
    })
    if (!scopes.includes(MCP)) throw scopeDenied(MCP)
    // The quota is counted by account: it names the windows in place of a token.
    return { caller: { tokenId: accountId, accountId, areas: AREAS, perSecond, perDay }, subject }
  }
}

const notLive = () =>
  invalidToken(
    'not valid, expired or revoked, or for another resource',
    undefined,
    'allowed: a token for this resource',
  )

import type { App } from '../app.queries.ts'
import { invalidScope } from '../errors.ts'
import type { Parameters } from '../parameters.ts'
import { type RequestedScopes, readScopes } from '../read-scopes.ts'

/** Requires scopes for which the app was approved. @throws OauthError invalid_scope */
export function readRequestedScopes(app: App, query: Parameters, aliases: readonly string[]): RequestedScopes {
  const asked = readScopes(query.get('scope'), aliases)
  const beyond = asked.scopes.find((scope) => !app.scopes.includes(scope))
  if (beyond !== undefined) throw invalidScope(`This app is not approved for the scope ${beyond}`)
  return asked
}

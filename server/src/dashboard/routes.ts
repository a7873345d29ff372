import type { FastifyInstance } from 'fastify'
import type { SignIn } from '../identity/sign-in.ts'
import { registerAccount } from './account.ts'
import { registerApps } from './apps.ts'
import { registerAuthorizedApps } from './authorized-apps.ts'
import { registerIngestTokens } from './ingest-tokens.ts'
import { registerOperator } from './operator.ts'
import { registerProfile } from './profile.ts'
import { registerTokens } from './tokens.ts'
import { registerWebhooks } from './webhooks.ts'

/** The dashboard's JSON API (contract 6, last row), by page. */
export function registerDashboard(scope: FastifyInstance, signIn: SignIn): void {
  registerAccount(scope, signIn)
  registerProfile(scope, signIn)
  registerTokens(scope, signIn)
  registerIngestTokens(scope, signIn)
  registerApps(scope, signIn)
  registerAuthorizedApps(scope, signIn)
  registerWebhooks(scope, signIn)
  registerOperator(scope, signIn)
}

import type { FastifyInstance } from 'fastify'
import type { SignIn } from '../identity/sign-in.ts'
import { registerAccount } from './account.ts'
import { registerApps } from './apps.ts'
import { registerAppUsers } from './app-users.ts'
import { registerAuthorizedApps } from './authorized-apps.ts'
import { type AnswerQuery, registerExplore, registerSessionQuery } from './explore.ts'
import { registerIngestTokens } from './ingest-tokens.ts'
import { registerOperator } from './operator.ts'
import { registerOperatorHealth } from './operator-health.ts'
import { type AllowLongUpload, registerOperatorImports } from './operator-imports.ts'
import { registerOperatorPlans } from './operator-plans.ts'
import { registerOperatorSyncs } from './operator-syncs.ts'
import { registerProfile } from './profile.ts'
import { registerTokens } from './tokens.ts'
import { registerUsage } from './usage.ts'
import { registerWebhooks } from './webhooks.ts'

/** What the service's listener does for the pages; the sign-in service alone has neither queries nor uploads. */
export interface PagesHttp {
  answerQuery: AnswerQuery
  allowLongUpload: AllowLongUpload
}

/** The dashboard's JSON API (contract 6, last row), by page. */
export function registerDashboard(scope: FastifyInstance, signIn: SignIn, http?: PagesHttp): void {
  registerAccount(scope, signIn)
  registerProfile(scope, signIn)
  registerTokens(scope, signIn)
  registerUsage(scope, signIn)
  registerIngestTokens(scope, signIn)
  registerApps(scope, signIn)
  registerAppUsers(scope, signIn)
  registerAuthorizedApps(scope, signIn)
  registerWebhooks(scope, signIn)
  registerOperator(scope, signIn)
  registerOperatorPlans(scope, signIn)
  registerOperatorSyncs(scope, signIn)
  registerOperatorHealth(scope, signIn)
  registerExplore(scope, signIn)
  if (!http) return
  registerSessionQuery(scope, signIn, http.answerQuery)
  registerOperatorImports(scope, signIn, http.allowLongUpload)
}

import type { FastifyInstance } from 'fastify'
import type { MemberQuests } from '../claims/member-quests.ts'
import { registerFindMe } from '../public-pages/find-me.ts'
import { registerImports } from '../ingest-uploads/routes.ts'
import type { Quizzes } from '../verify/quizzes.ts'
import type { Verifications } from '../verify/verifications.ts'
import type { Visits } from '../verify/visits.ts'
import type { Services } from '../services.ts'
import { registerAccount } from './account/account.ts'
import { registerApps } from './apps/apps.ts'
import { registerAppUsers } from './apps/app-users.ts'
import { registerAuthorizedApps } from './account/authorized-apps.ts'
import { type AnswerQuery, registerExplore, registerSessionQuery } from './explore/explore.ts'
import { registerIngestTokens } from './tokens/ingest-tokens.ts'
import { registerMemberActs } from './member/member-acts.ts'
import { registerMemberQuests } from './member/member-quests.ts'
import { registerOperator } from './operator/operator.ts'
import { registerOperatorBans } from './operator/bans.ts'
import { registerOperatorHealth } from './operator/health.ts'
import { type AllowLongUpload, registerOperatorImports } from './operator/streamed-import.ts'
import { registerOperatorPlans } from './operator/plans.ts'
import { registerOperatorSnapshots } from './operator/snapshots.ts'
import { registerOperatorSyncs } from './operator/syncs.ts'
import { registerOwnPoints } from './member/own-points.ts'
import { registerOwnRanks } from './member/own-ranks.ts'
import { registerProfile } from './account/profile.ts'
import type { Renderer } from '../images/renderer.ts'
import { registerSpacePages } from './explore/space-pages.ts'
import { registerTokenRequests } from './tokens/token-requests.ts'
import { registerTokens } from './tokens/tokens.ts'
import { registerUsage } from './tokens/usage.ts'
import { registerWebhooks } from './webhooks/webhooks.ts'

/** Functions of the HTTP server. */
export interface PagesHttp {
  answerQuery: AnswerQuery
  allowLongUpload: AllowLongUpload
}

export interface DashboardServices {
  quests: MemberQuests
  verifications: Verifications
  quizzes: Quizzes
  visits: Visits
  /** Draws uploaded pictures. */
  renderer: Renderer
  /** Absent in tests that register only the sign-in routes. */
  http?: PagesHttp | undefined
}

/** The JSON API of the dashboard: `/api/tokens`, `/api/apps`, `/api/operator/…` and others. */
export function registerDashboard(scope: FastifyInstance, services: Services, dashboard: DashboardServices): void {
  registerAccount(scope, services)
  registerProfile(scope, services, dashboard.renderer)
  registerTokens(scope, services)
  registerTokenRequests(scope, services)
  registerUsage(scope, services)
  registerIngestTokens(scope, services)
  registerApps(scope, services)
  registerAppUsers(scope, services)
  registerAuthorizedApps(scope, services)
  registerWebhooks(scope, services)
  registerOperator(scope, services)
  registerOperatorBans(scope, services)
  registerOperatorPlans(scope, services)
  registerOperatorSnapshots(scope, services)
  registerOperatorSyncs(scope, services)
  registerOperatorHealth(scope, services)
  registerExplore(scope, services)
  registerMemberQuests(scope, services, dashboard)
  registerMemberActs(scope, services, dashboard)
  registerOwnPoints(scope, services)
  registerOwnRanks(scope, services)
  registerSpacePages(scope, services)
  registerFindMe(scope, services)
  const { http } = dashboard
  if (!http) return
  registerSessionQuery(scope, services, http.answerQuery)
  registerOperatorImports(scope, services, http.allowLongUpload)
  registerImports(scope, services, http.allowLongUpload)
}

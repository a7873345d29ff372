import type { AppStatus } from '../../src/oauth/app.queries.ts'
import type { TestApp } from './oauth-flow.ts'
import type { SignInService } from './oauth-service.ts'

/** The same app, put into another status; that no door leads from approved back to pending does not matter here. */
export async function withStatus(service: SignInService, app: TestApp, status: AppStatus): Promise<TestApp> {
  await service.database.query('UPDATE apps SET status = $2 WHERE client_id = $1', [app.clientId, status])
  return app
}

import type { AppStatus } from '../../src/oauth/app.queries.ts'
import type { TestApp } from './oauth-flow.ts'
import type { SignInService } from './oauth-service.ts'

/** Sets the status of an app directly, also where no API can change it that way. */
export async function withStatus(service: SignInService, app: TestApp, status: AppStatus): Promise<TestApp> {
  await service.database.query('UPDATE apps SET status = $2 WHERE client_id = $1', [app.clientId, status])
  return app
}

import type { Services } from '../../services.ts'
import { type App, findApp } from '../app.queries.ts'
import { RequestPageError } from '../page-error.ts'
import type { Parameters } from '../parameters.ts'

/** Without an approved app, nothing is redirected (RFC 6749 4.1.2.1). @throws RequestPageError */
export async function findApprovedApp(services: Services, query: Parameters): Promise<App> {
  const clientId = query.get('client_id')
  if (clientId === undefined) throw new RequestPageError('The parameter client_id is missing.')
  const app = await findApp(services.database, clientId)
  if (!app) throw new RequestPageError('No app is registered under this client_id.')
  if (app.status !== 'approved') throw new RequestPageError('This app is not approved, or it is suspended.')
  return app
}

import type { Services } from '../../services.ts'
import { type App, findApp } from '../app.queries.ts'
import { isClientUrl } from '../client-metadata/client-url.ts'
import { findClientByUrl } from '../client-metadata/find-client.ts'
import { RequestPageError } from '../page-error.ts'
import type { Parameters } from '../parameters.ts'

/** Without an approved app, nothing is redirected (RFC 6749 4.1.2.1). @throws RequestPageError */
export async function findApprovedApp(services: Services, query: Parameters, network: string): Promise<App> {
  const clientId = query.get('client_id')
  if (clientId === undefined) throw new RequestPageError(['missing', 'client_id'])
  const app = isClientUrl(clientId)
    ? await findClientByUrl(services, clientId, network)
    : await findApp(services.database, clientId)
  if (!app || (app.metadataUrl ?? clientId) !== clientId) throw new RequestPageError('unknownApp')
  if (app.status !== 'approved') throw new RequestPageError('notApproved')
  return app
}

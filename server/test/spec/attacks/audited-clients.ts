import { CLIENT_METADATA_LIFETIME } from '../../../src/lifetimes.ts'
import { NO_NETWORK } from '../../../src/audit/audit.ts'
import { authorizeUrl, pkcePair } from '../../support/oauth-flow.ts'
import type { AuditedWorld, Operation } from './audited-operation.ts'

/** The audited operations of clients with a metadata document. */
export function auditedClients(world: AuditedWorld): Operation[] {
  let clients = 0
  return [
    {
      events: ['app.changed'],
      network: NO_NETWORK,
      async prepare() {
        const { service, services, clientHost } = world
        const document = `/client-${++clients}.json`
        const clientId = clientHost.publish(document)
        const path = authorizeUrl(
          { clientId, secret: '', redirectUri: clientHost.redirectUri },
          { scope: 'mcp', code_challenge: pkcePair().challenge, code_challenge_method: 'S256' },
        )
        const first = await services.fastify.inject(path)
        if (first.statusCode !== 303) throw new Error(first.body)
        clientHost.publish(document, { client_name: 'Another name' })
        service.clock.advance(CLIENT_METADATA_LIFETIME + 1)
        return { method: 'GET', path }
      },
    },
  ]
}

import type { FastifyInstance } from 'fastify'
import { route } from '../api/route.ts'
import { audit } from '../audit/audit.ts'
import { eraseAddressWithin } from '../personal-data/erase-address.ts'
import { exportPerson } from '../personal-data/export-person.ts'
import type { Services } from '../services.ts'
import { withOperator } from '../sessions/with-account.ts'
import { peopleDescriptions } from './route-descriptions.ts'

/**
 * `/api/operator/addresses/…`: export and erasure of a wallet address, a mail address or a handle. The audit log does not
 * contain the address.
 */
export function registerAddresses(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(
    scope,
    services,
    peopleDescriptions.exportAddress,
    async ({ services, session, network, body: { address } }) => {
      const { accountId } = session
      await withOperator(services, session, (trx) =>
        audit(services, { accountId, event: 'person.address-exported', network, details: { by: 'operator' } }, trx),
      )
      return exportPerson(kysely, { address }, services.clock.now(), services.site)
    },
  )

  route(scope, services, peopleDescriptions.eraseAddress, ({ services, session, network, body: { address } }) =>
    withOperator(services, session, (trx) =>
      eraseAddressWithin(trx, services, address, { accountId: session.accountId, network, by: 'operator' }),
    ),
  )
}

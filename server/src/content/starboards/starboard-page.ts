import type { FastifyInstance } from 'fastify'
import { isOperator } from '../../accounts/account.queries.ts'
import { route } from '../../api/route.ts'
import { audit } from '../../audit/audit.ts'
import {
  deleteStarboardPage,
  hasStarboardPage,
  storeStarboardPage,
} from '../../public-pages/starboard-pages.queries.ts'
import { notFound } from '../../errors.ts'
import { nowOf, type Services } from '../../services.ts'
import { withSession } from '../../sessions/with-account.ts'
import { findStarboardOwner } from '../records/records.queries.ts'
import { starboardPageDescriptions } from './starboard-route-descriptions.ts'
import { requireOwner } from './starboard-rights.ts'

/** `/api/starboards/:id/page`: the owner of a starboard and operators publish its page. */
export function registerStarboardPage(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, starboardPageDescriptions.view, async ({ accountId, params: { id } }) => {
    const owner = await findStarboardOwner(kysely, id.text)
    if (owner === undefined) throw notFound('Starboard')
    const editable = owner === accountId || (await isOperator(kysely, accountId))
    return { url: (await hasStarboardPage(kysely, id.text)) ? urlOf(id.text) : null, editable }
  })

  route(scope, services, starboardPageDescriptions.publish, async ({ services, session, network, params: { id } }) => {
    const { accountId } = session
    await withSession(services, session, async (trx) => {
      await requireOwner(trx, accountId, id.text)
      if (await storeStarboardPage(trx, id.text, nowOf(services)))
        await audit(
          services,
          { accountId, event: 'starboard.published', network, details: { starboard: id.text } },
          trx,
        )
    })
    return { url: urlOf(id.text), editable: true }
  })

  route(
    scope,
    services,
    starboardPageDescriptions.unpublish,
    async ({ services, session, network, params: { id } }) => {
      const { accountId } = session
      await withSession(services, session, async (trx) => {
        await requireOwner(trx, accountId, id.text)
        if (await deleteStarboardPage(trx, id.text))
          await audit(
            services,
            { accountId, event: 'starboard.unpublished', network, details: { starboard: id.text } },
            trx,
          )
      })
    },
  )

  const urlOf = (id: string): string => `${services.site.issuer}/b/${encodeURIComponent(id)}`
}

import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { route } from '../../api/route.ts'
import { audit, type SecurityEvent } from '../../audit/audit.ts'
import { deletePage, findPageOfSpace, storeEmbedOrigins, storePage } from '../../public-pages/space-pages.queries.ts'
import { isUniqueViolation } from '../../database/sql-states.ts'
import type { DB } from '../../database/tables.ts'
import { fieldConflict, notFound } from '../../errors.ts'
import { nowOf, type Services } from '../../services.ts'
import { withSession } from '../../sessions/with-account.ts'
import { findEffectiveRole, mayDo, requireRight } from '../../teams/permissions.ts'
import { exploreDescriptions } from './explore-route-descriptions.ts'

/** `/api/explore/spaces/:id/page`: admins, owners and operators publish the page of a space. */
export function registerSpacePages(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, exploreDescriptions.page, ({ accountId, params }) => viewOf(accountId, params.id))

  route(scope, services, exploreDescriptions.publish, async ({ services, session, network, params: { id }, body }) => {
    const { slug } = body
    const taken = () =>
      fieldConflict('slug', 'slug_taken', `Another space has the address /s/${slug}; choose a different one`)
    await withSession(services, session, async (transaction) => {
      await requireRight(transaction, session.accountId, id, 'manage')
      if (!(await storePage(transaction, { spaceId: id, slug, publishedAt: nowOf(services) }))) throw taken()
      await note(transaction, 'space.published', network, session.accountId, { space: String(id), slug })
    }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? taken() : error
    })
    return viewOf(session.accountId, id)
  })

  route(scope, services, exploreDescriptions.embeds, async ({ services, session, network, params: { id }, body }) => {
    await withSession(services, session, async (transaction) => {
      await requireRight(transaction, session.accountId, id, 'manage')
      if (!(await storeEmbedOrigins(transaction, id, body.origins))) throw notFound('Public page')
      const origins = body.origins === null ? 'all' : body.origins.join(' ')
      await note(transaction, 'space.embeds-changed', network, session.accountId, { space: String(id), origins })
    })
    return viewOf(session.accountId, id)
  })

  route(scope, services, exploreDescriptions.unpublish, async ({ services, session, network, params: { id } }) => {
    await withSession(services, session, async (transaction) => {
      await requireRight(transaction, session.accountId, id, 'manage')
      if (await deletePage(transaction, id))
        await note(transaction, 'space.unpublished', network, session.accountId, { space: String(id) })
    })
  })

  async function viewOf(accountId: string, spaceId: number) {
    const [standing, page] = await Promise.all([
      findEffectiveRole(kysely, accountId, spaceId),
      findPageOfSpace(kysely, spaceId),
    ])
    return {
      slug: page?.slug ?? null,
      url: page ? `${services.site.issuer}/s/${page.slug}` : null,
      embedOrigins: page?.embedOrigins ?? null,
      editable: standing !== null && mayDo(standing, 'manage'),
      standing,
    }
  }

  const note = (
    transaction: Transaction<DB>,
    event: SecurityEvent,
    network: string,
    accountId: string,
    details: Record<string, string>,
  ) => audit(services, { accountId, event, network, details }, transaction)
}

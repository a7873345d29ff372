import type { FastifyInstance } from 'fastify'
import { listAccountAddresses, listIdentities } from '../accounts/account.queries.ts'
import { mayBePublic } from '../addresses/addresses.ts'
import { findMembers } from '../search/search.queries.ts'
import type { Services } from '../services.ts'
import { sessionOf } from '../sessions/session.ts'
import { SLUG } from './slug.ts'
import { findPageBySlug } from './space-pages.queries.ts'

/**
 * `GET /s/{slug}/me`: leads members to their place on the board of a public page, or to a hint how they get there. Guests
 * sign in first.
 */
export function registerFindMe(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  scope.get<{ Params: { slug: string } }>('/s/:slug/me', async (request, reply) => {
    const { slug } = request.params
    const space = SLUG.test(slug) ? await findPageBySlug(kysely, slug) : undefined
    if (!space) return reply.callNotFound()
    const session = await sessionOf(services, request)
    if (!session) return reply.redirect(`/sign-in?return=/s/${space.slug}/me`, 303)
    const identities = await listIdentities(kysely, session.accountId)
    // A contract wallet may have another owner on another chain.
    const own = identities
      .filter(({ useForEligibility }) => useForEligibility !== null)
      .map(({ subject }) => subject)
      .filter(mayBePublic)
    const membersAt = (addresses: string[]) =>
      findMembers(kysely, space.spaceId, { addresses, beginnings: [], limit: addresses.length })
    const [best] = await membersAt(own)
    // Public pages do not find own addresses of accounts, but the names that the board shows for them.
    const [hidden] = best ? [] : await membersAt(await listAccountAddresses(kysely, session.accountId))
    const find = best?.address ?? hidden?.username
    const query = find === undefined ? 'me=absent' : `find=${encodeURIComponent(find)}`
    return reply.redirect(`/s/${space.slug}?${query}#found`, 303)
  })
}

import type { Transaction } from 'kysely'
import { audit } from '../../audit/audit.ts'
import { deletePage, findPageOfSpace, storePage } from '../../public-pages/space-pages.queries.ts'
import type { DB } from '../../database/tables.ts'
import { fieldConflict } from '../../errors.ts'
import { nowOf } from '../../services.ts'
import type { AuthoredServices } from '../records/edit.ts'

/**
 * Publishes the page of a space, changes its slug, or removes the page; undefined changes nothing.
 * @returns whether something changed @throws ApiError 409 slug_taken
 */
export async function setPublicPage(
  services: AuthoredServices,
  trx: Transaction<DB>,
  spaceId: number,
  slug: string | null | undefined,
): Promise<boolean> {
  if (slug === undefined) return false
  const { accountId, network, by } = services.actor
  const before = (await findPageOfSpace(trx, spaceId))?.slug ?? null
  if (before === slug) return false
  const entry = { accountId, network }
  const space = { space: String(spaceId), ...(by && { by }) }
  if (slug === null) {
    await deletePage(trx, spaceId)
    await audit(services, { ...entry, event: 'space.unpublished', details: space }, trx)
    return true
  }
  if (!(await storePage(trx, { spaceId, slug, publishedAt: nowOf(services) })))
    throw fieldConflict('slug', 'slug_taken', `Another space has the address /s/${slug}; choose a different one`)
  await audit(services, { ...entry, event: 'space.published', details: { ...space, slug } }, trx)
  return true
}

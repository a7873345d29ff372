import { fault } from '../../texts/faults.ts'
import type { FastifyInstance } from 'fastify'
import { findAccountByName, findAccountName, isOperator } from '../../accounts/account.queries.ts'
import { route } from '../../api/route.ts'
import { invalidField, notFound } from '../../errors.ts'
import { listObjects } from '../../objects/objects.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import type { Services } from '../../services.ts'
import { requireRight, type EffectiveRole } from '../../teams/permissions.ts'
import { findSpacesOf } from '../../teams/roles.queries.ts'
import { giveSpace } from '../../teams/owner.ts'
import { contentKinds, type ContentRecord } from '../records/content-kinds.ts'
import { logoPath } from './logo.ts'
import { setPublicPage } from './public-page.ts'
import { readListedFacts, readRecord, readSpaceFacts } from '../records/records.queries.ts'
import { spaceDescriptions } from './space-route-descriptions.ts'
import { changeContent, createContent, deleteContent } from '../records/store.ts'
import { versionOf } from '../records/version.ts'

const kind = contentKinds.space

/** `/api/spaces…`: the spaces, without their sprints, points, rules and teams. */
export function registerSpaces(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, spaceDescriptions.list, async ({ services, accountId, query }) => {
    const roles = new Map((await findSpacesOf(kysely, accountId, 'view')).map(({ spaceId, role }) => [spaceId, role]))
    const operator = await isOperator(kysely, accountId)
    const spaceIds = operator ? null : [...roles.keys()]
    const within = { spaceIds, starboardIds: [], credentialIds: [] }
    const { items, next } = await listObjects(services, 'space', { ...query, within })
    const standing = (id: string) => (operator ? 'operator' : roles.get(Number(id)))
    const factsOf = await readListedFacts(
      kysely,
      items.map((item) => Number(item.id)),
    )
    return {
      items: items.map((item) => {
        const { logoVersion, ...facts } = factsOf(Number(item.id))
        return { ...item, ...facts, logo: logoOf(Number(item.id), logoVersion), standing: standing(item.id) }
      }),
      next,
    }
  })

  route(scope, services, spaceDescriptions.create, async (call) => {
    const { owner, slug, ...record } = call.body
    const ownerId = owner === undefined ? call.accountId : owner === null ? null : await requireAccount(owner as string)
    const editing = { services: call.services, kind }
    const { spaceId = 0 } = await createContent(editing, record, {
      async allow(trx) {
        if (!(await isOperator(trx, call.accountId))) throw notFound('Space')
      },
      async more(trx, { spaceId = 0 }) {
        await setPublicPage(call.services, trx, spaceId, slug as string | null | undefined)
        if (ownerId !== null) await giveSpace(call.services, trx, spaceId, ownerId)
        return []
      },
    })
    return view(spaceId, 'operator')
  })

  route(scope, services, spaceDescriptions.view, ({ params: { id }, resource: standing }) => view(id, standing))

  route(scope, services, spaceDescriptions.change, async (call) => {
    const { id } = call.params
    const { slug, ...changes } = call.body
    await changeContent({ services: call.services, kind }, spaceObject(id), changes, {
      allow: (trx) => requireRight(trx, call.accountId, id, 'manage'),
      async more(trx) {
        const published = await setPublicPage(call.services, trx, id, slug as string | null | undefined)
        return published ? ['slug'] : []
      },
      versionMore: async (trx) => (await readSpaceFacts(trx, id))?.slug ?? null,
    })
    return view(id, call.resource)
  })

  route(scope, services, spaceDescriptions.remove, ({ services, accountId, params: { id } }) =>
    deleteContent({ services, kind }, spaceObject(id), { allow: (trx) => requireRight(trx, accountId, id, 'own') }),
  )

  async function view(id: number, standing: EffectiveRole): Promise<ContentRecord> {
    const [record, facts] = await Promise.all([readRecord(kysely, kind, spaceObject(id)), readSpaceFacts(kysely, id)])
    if (!record || !facts) throw notFound('Space')
    const { slug, logoVersion, createdAt, ownerAccountId } = facts
    const username = ownerAccountId === null ? undefined : await findAccountName(kysely, ownerAccountId)
    const owner = ownerAccountId !== null && username !== undefined ? { id: ownerAccountId, username } : null
    const logo = logoOf(id, logoVersion)
    return { ...record, slug, logo, owner, standing, createdAt, version: versionOf(kind, record, slug) }
  }

  async function requireAccount(nameOrId: string): Promise<string> {
    const found = await findAccountByName(kysely, nameOrId.trim())
    if (!found) throw invalidField('owner', 'must be the username or id of an account', fault('unknown_account'))
    return found.id
  }
}

const logoOf = (spaceId: number, version: string | null): string | null =>
  version === null ? null : logoPath(spaceId, version)

const spaceObject = (spaceId: number): ObjectId => ({ text: String(spaceId), spaceId })

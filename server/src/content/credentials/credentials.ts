import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { notFound } from '../../errors.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import { listObjects } from '../../objects/objects.ts'
import type { Services } from '../../services.ts'
import type { Right } from '../../teams/roles.ts'
import { contentKinds, type ContentRecord } from '../records/content-kinds.ts'
import { credentialDescriptions } from './credential-route-descriptions.ts'
import { requireCredentialRight, requireStoredCredentialRight } from './credential-rights.ts'
import { requireListRight } from '../records/list-right.ts'
import { readCredential, type StoredCredential } from '../records/records.queries.ts'
import { spaceIn } from '../records/spaces-of-records.ts'
import type { EditRules } from '../records/edit.ts'
import { changeContent, createContent, deleteContent } from '../records/store.ts'
import { versionOf } from '../records/version.ts'

const kind = contentKinds.credential

/** `/api/credentials` and `/api/credentials/:id`. The functions in `content/sources/` register the routes of a credential's source. */
export function registerCredentials(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, credentialDescriptions.list, async ({ services, accountId, query }) => {
    await requireListRight(kysely, accountId, query.spaceId)
    return listObjects(services, 'credential', query)
  })

  route(scope, services, credentialDescriptions.create, async ({ services, accountId, body }) =>
    view(await createContent({ services, kind }, body, rulesFor(accountId, 'edit'))),
  )

  route(scope, services, credentialDescriptions.view, ({ resource: credential }) => shown(credential))

  route(scope, services, credentialDescriptions.change, async ({ services, accountId, params: { id }, body }) => {
    await changeContent({ services, kind }, id, body, rulesFor(accountId, 'edit'))
    return view(id)
  })

  route(scope, services, credentialDescriptions.remove, ({ services, accountId, params: { id } }) =>
    deleteContent({ services, kind }, id, rulesFor(accountId, 'manage')),
  )

  async function view(id: ObjectId): Promise<ContentRecord> {
    const credential = await readCredential(kysely, id)
    if (!credential) throw notFound('Credential')
    return shown(credential)
  }
}

function shown({ record, itemCount, sourceKind }: StoredCredential): ContentRecord {
  return { ...record, itemCount, sourceKind, version: versionOf(kind, record) }
}

/** The account needs the right for the credential. If the change sets another curator space, also for the new one. */
const rulesFor = (accountId: string, right: Right): EditRules => ({
  async allow(trx, record, stored) {
    const wanted = spaceIn(kind, record, 'curatorSpaceId')
    if (!stored) return requireCredentialRight(trx, accountId, { curatorSpaceId: wanted }, right)
    await requireStoredCredentialRight(trx, accountId, String(stored.id), right)
    if (wanted !== spaceIn(kind, stored, 'curatorSpaceId'))
      await requireCredentialRight(trx, accountId, { curatorSpaceId: wanted }, right)
  },
})

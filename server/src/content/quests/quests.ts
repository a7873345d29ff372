import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { invalidField, notFound } from '../../errors.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import { listObjects } from '../../objects/objects.ts'
import type { Services } from '../../services.ts'
import { requireRight } from '../../teams/permissions.ts'
import type { Right } from '../../teams/roles.ts'
import { contentKinds, type ContentRecord } from '../records/content-kinds.ts'
import { requireListRight } from '../records/list-right.ts'
import { createPreview } from './preview.ts'
import { questDescriptions } from './quest-route-descriptions.ts'
import { requireVisible } from './quest-rights.ts'
import { readRecord } from '../records/records.queries.ts'
import { spaceIn } from '../records/spaces-of-records.ts'
import type { EditRules } from '../records/edit.ts'
import { changeContent, createContent, deleteContent } from '../records/store.ts'
import { versionOf } from '../records/version.ts'
import { fault } from '../../texts/faults.ts'

const kind = contentKinds.quest

/** `/api/quests…`: quests for their teams and operators. */
export function registerQuests(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const preview = createPreview(services)

  route(scope, services, questDescriptions.list, async ({ services, accountId, query }) => {
    await requireListRight(kysely, accountId, query.spaceId)
    return listObjects(services, 'quest', query)
  })

  route(scope, services, questDescriptions.create, async ({ services, accountId, body }) =>
    view(await createContent({ services, kind }, body, rulesFor(accountId, 'edit'))),
  )

  route(scope, services, questDescriptions.preview, async ({ accountId, body }) => {
    await requireRight(kysely, accountId, body.spaceId, 'edit')
    return { credentialGroups: await preview(body.credentialGroups, body.address) }
  })

  route(scope, services, questDescriptions.view, ({ resource: quest }) => shown(quest))

  route(scope, services, questDescriptions.change, async ({ services, accountId, params: { id }, body }) => {
    await changeContent({ services, kind }, id, body, rulesFor(accountId, 'edit'))
    return view(id)
  })

  route(scope, services, questDescriptions.remove, ({ services, accountId, params: { id } }) =>
    deleteContent({ services, kind }, id, rulesFor(accountId, 'manage')),
  )

  async function view(id: ObjectId): Promise<ContentRecord> {
    const record = await readRecord(kysely, kind, id)
    if (!record) throw notFound('Quest')
    return shown(record)
  }
}

const shown = (record: ContentRecord): ContentRecord => ({ ...record, version: versionOf(kind, record) })

/** The account needs the right in the current space of the quest and in the new one. */
const rulesFor = (accountId: string, right: Right): EditRules => ({
  async allow(trx, record, stored) {
    if (stored) await requireVisible(trx, accountId, Number(stored.spaceId))
    const spaceId = spaceIn(kind, record, 'spaceId')
    if (spaceId === undefined) throw invalidField('spaceId', 'is missing', fault('missing'))
    if (stored && stored.spaceId !== spaceId) await requireRight(trx, accountId, Number(stored.spaceId), right)
    await requireRight(trx, accountId, spaceId, right)
  },
})

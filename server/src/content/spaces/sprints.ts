import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { notFound } from '../../errors.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import { findRunningSprint } from '../../ranking/running-sprint.queries.ts'
import { nowOf, type Services } from '../../services.ts'
import { requireRight } from '../../teams/permissions.ts'
import { contentKinds, type ContentRecord } from '../records/content-kinds.ts'
import { readRecord, readRecordsOf } from '../records/records.queries.ts'
import { sprintDescriptions } from './space-route-descriptions.ts'
import { changeContent, createContent, deleteContent } from '../records/store.ts'
import { versionOf } from '../records/version.ts'

const kind = contentKinds.sprint

/** `/api/spaces/:id/sprints…`: the sprints of a space. */
export function registerSprints(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, sprintDescriptions.list, async ({ params: { id } }) => {
    const [sprints, running] = await Promise.all([
      readRecordsOf(kysely, 'sprint', id),
      findRunningSprint(kysely, id, nowOf(services)),
    ])
    return { sprints: sprints.map(shown), running }
  })

  route(scope, services, sprintDescriptions.create, async ({ services, accountId, params, body }) => {
    const spaceId = params.id
    const made = await createContent(
      { services, kind },
      { ...body, spaceId },
      {
        allow: (trx) => requireRight(trx, accountId, spaceId, 'edit'),
      },
    )
    return view(made)
  })

  route(scope, services, sprintDescriptions.view, ({ params }) => view(sprintOf(params)))

  route(scope, services, sprintDescriptions.change, async ({ services, accountId, params, body }) => {
    const sprint = sprintOf(params)
    await changeContent({ services, kind }, sprint, body, {
      allow: (trx) => requireRight(trx, accountId, params.id, 'edit'),
    })
    return view(sprint)
  })

  route(scope, services, sprintDescriptions.remove, ({ services, accountId, params }) => {
    const sprint = sprintOf(params)
    return deleteContent({ services, kind }, sprint, {
      allow: (trx) => requireRight(trx, accountId, params.id, 'manage'),
    })
  })

  async function view(id: ObjectId): Promise<ContentRecord> {
    const record = await readRecord(kysely, kind, id)
    if (!record) throw notFound('Sprint')
    return shown(record)
  }
}

const sprintOf = ({ id: spaceId, sprintId }: { id: number; sprintId: number }): ObjectId => ({
  text: `${spaceId}-${sprintId}`,
  spaceId,
  sprintId,
})

const shown = (record: ContentRecord): ContentRecord => ({ ...record, version: versionOf(kind, record) })

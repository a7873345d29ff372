import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { notFound } from '../../errors.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import { listObjects } from '../../objects/objects.ts'
import type { Services } from '../../services.ts'
import { contentKinds, type ContentRecord } from '../records/content-kinds.ts'
import { readRecord } from '../records/records.queries.ts'
import { starboardDescriptions } from './starboard-route-descriptions.ts'
import { requireOwner } from './starboard-rights.ts'
import type { EditRules } from '../records/edit.ts'
import { changeContent, createContent, deleteContent } from '../records/store.ts'
import { versionOf } from '../records/version.ts'

const kind = contentKinds.starboard

/** `/api/starboards…`: starboards for their owners and operators. */
export function registerStarboards(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, starboardDescriptions.list, ({ services, query }) => listObjects(services, 'starboard', query))

  route(scope, services, starboardDescriptions.create, async ({ services, accountId, body }) =>
    view(await createContent({ services, kind }, body, ofOwner(accountId))),
  )

  route(scope, services, starboardDescriptions.view, ({ resource: starboard }) => shown(starboard))

  route(scope, services, starboardDescriptions.change, async ({ services, accountId, params: { id }, body }) => {
    await changeContent({ services, kind }, id, body, ofOwner(accountId))
    return view(id)
  })

  route(scope, services, starboardDescriptions.remove, ({ services, accountId, params: { id } }) =>
    deleteContent({ services, kind }, id, ofOwner(accountId)),
  )

  async function view(id: ObjectId): Promise<ContentRecord> {
    const record = await readRecord(kysely, kind, id)
    if (!record) throw notFound('Starboard')
    return shown(record)
  }
}

const shown = (record: ContentRecord): ContentRecord => ({ ...record, version: versionOf(kind, record) })

const ofOwner = (accountId: string): EditRules => ({
  allow: (trx, _record, stored) => requireOwner(trx, accountId, stored && String(stored.id)),
})

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { findAccountNames } from '../accounts/account.queries.ts'
import { route } from '../api/route.ts'
import { audit } from '../audit/audit.ts'
import { ApiError, conflict, notFound } from '../errors.ts'
import { drain } from '../ingest/upload.ts'
import { UPLOAD_TIMEOUT } from '../lifetimes.ts'
import { nowOf, type Services } from '../services.ts'
import { withOperator } from '../sessions/with-account.ts'
import {
  beginUndo,
  cancelImport,
  confirmImport,
  deleteFile,
  findImport,
  type ListedImport,
  nameSpaces,
  selectImports,
  type Undo,
} from './imports.queries.ts'
import { MAX_UPLOADS } from './limits.ts'
import { importDescriptions } from './route-descriptions.ts'
import { receiveFile } from './receive.ts'
import { templateOf } from './templates.ts'

const PAGE_SIZE = 50
/** The maximum number of spaces that an import shows. */
const MAX_SPACES = 20

/** `/api/operator/imports/…`: uploaded files, which are checked and stored in the background. */
export function registerImports(
  scope: FastifyInstance,
  services: Services,
  allowLongUpload: (request: IncomingMessage) => void,
): void {
  const { kysely } = services.database
  const show = async (id: string) => {
    const found = await findImport(kysely, id)
    if (!found) throw notFound('Import')
    return (await view(services, [found]))[0]
  }

  route(scope, services, importDescriptions.list, async ({ query: after }) => {
    const found = await selectImports(kysely, { limit: PAGE_SIZE + 1, after })
    const items = found.slice(0, PAGE_SIZE)
    return {
      items: await view(services, items),
      next: found.length > PAGE_SIZE ? (items.at(-1)?.id ?? null) : null,
    }
  })

  route(scope, services, importDescriptions.view, ({ params: { id } }) => show(id))

  route(scope, services, importDescriptions.template, ({ params: { file: kind }, reply }) =>
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${kind}.csv"`)
      .send(templateOf(kind)),
  )

  route(
    scope,
    services,
    importDescriptions.apply,
    async ({ services, session, accountId, network, params: { id } }) => {
      await withOperator(services, session, async (trx) => {
        if (await confirmImport(trx, id, { accountId, network }))
          return audit(services, { accountId, network, event: 'import.confirmed', details: { import: id } }, trx)
        const found = await findImport(trx, id)
        if (!found) throw notFound('Import')
        throw conflict('not_checked', `The import is in the state ${found.state}; only a checked one can be stored`)
      })
      return show(id)
    },
  )

  route(
    scope,
    services,
    importDescriptions.cancel,
    async ({ services, session, accountId, network, params: { id } }) => {
      await withOperator(services, session, async (trx) => {
        if (await cancelImport(trx, id, nowOf(services)))
          return audit(services, { accountId, network, event: 'import.cancelled', details: { import: id } }, trx)
        if (!(await findImport(trx, id))) throw notFound('Import')
        throw conflict('import_ended', 'The import has ended')
      })
      const cancelled = await show(id)
      if (cancelled?.endedAt !== null) await deleteFile(kysely, id)
      return cancelled
    },
  )

  route(scope, services, importDescriptions.undo, async ({ services, session, accountId, network, params: { id } }) => {
    await withOperator(services, session, async (trx) => {
      if (await beginUndo(trx, id, accountId, nowOf(services)))
        return audit(services, { accountId, network, event: 'import.undone', details: { import: id } }, trx)
      const found = await findImport(trx, id)
      if (!found) throw notFound('Import')
      if (found.undo === null)
        throw conflict(
          'not_undoable',
          'Only stored imports of points can be undone, and none that was checked before imports could be undone',
        )
    })
    return show(id)
  })

  registerUpload(scope, services, allowLongUpload, show)
}

function registerUpload(
  scope: FastifyInstance,
  services: Services,
  allowLongUpload: (request: IncomingMessage) => void,
  show: (id: string) => Promise<unknown>,
): void {
  let uploads = 0
  void scope.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _body, done) => done(null))
    raw.addHook('onRoute', (options) => {
      options.handlerTimeout = UPLOAD_TIMEOUT
    })
    route(raw, services, importDescriptions.upload, async ({ services, request, query }) => {
      if (uploads >= MAX_UPLOADS)
        throw new ApiError('too_many_requests', `${MAX_UPLOADS} uploads are running; wait for one to end`, {
          headers: { 'retry-after': '10' },
        })
      allowLongUpload(request.raw)
      uploads++
      try {
        return await show(await receiveFile(services, request.raw, query))
      } finally {
        uploads--
        drain(request.raw)
      }
    })
  })
}

const shownOf = (spaceIds: number[] | null) => spaceIds?.slice(0, MAX_SPACES)

const viewUndo = <Person>({ at, endedAt, reversed, before, refused }: Undo, by: Person) => ({
  by,
  at,
  endedAt,
  reversed,
  before,
  refused,
})

async function view<Shown extends ListedImport>({ database }: Services, imports: readonly Shown[]) {
  const ids = imports.flatMap(({ accountId, appliedBy, undoneBy }) =>
    [accountId, appliedBy ?? [], undoneBy ?? []].flat(),
  )
  const spaceNames = await nameSpaces(
    database.kysely,
    imports.flatMap(({ spaceIds }) => shownOf(spaceIds) ?? []),
  )
  const names = await findAccountNames(database.kysely, ids)
  const person = (id: string) => ({ id, username: names.get(id) ?? null })
  return imports.map(({ accountId, appliedBy, spaceIds, undo, undoneBy, ...rest }) => {
    const { lines, added, changed } = rest
    const unchanged = lines === null || added === null || changed === null ? null : Math.max(lines - added - changed, 0)
    return {
      ...rest,
      unchanged,
      by: person(accountId),
      appliedBy: appliedBy === null ? null : person(appliedBy),
      spaceCount: spaceIds?.length ?? null,
      spaces: shownOf(spaceIds)?.map((id) => ({ id, name: spaceNames.get(id) ?? null })) ?? null,
      undo: undo !== null && undoneBy !== null ? viewUndo(undo, person(undoneBy)) : null,
    }
  })
}

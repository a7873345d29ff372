import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { ApiError } from '../../errors.ts'
import { audit } from '../../audit/audit.ts'
import { route } from '../../api/route.ts'
import type { Services } from '../../services.ts'
import type { ImportRequest } from '../../ingest-uploads/import-request.ts'
import { importFile, type ImportFileOptions, type StoredFile } from '../../ingest/import-file.ts'
import { ImportRefusedError, type Problem } from '../../ingest/problems.ts'
import { ImportFileError } from '../../ingest/source.ts'
import { arriving, drain } from '../../ingest/upload.ts'
import { openImportResponse, type ImportResponse } from './import-response.ts'
import { operatorDescriptions } from './route-descriptions.ts'

/** Concurrent imports per process. */
const MAX_CONCURRENT_IMPORTS = 2

/** Extends the timeout of a request with a large body. */
export type AllowLongUpload = (request: IncomingMessage) => void

/**
 * `POST /api/operator/imports`: imports a file like `questboard import`. The response is NDJSON with progress; the last
 * line is the result. If the client disconnects, the import is aborted.
 */
export function registerOperatorImports(scope: FastifyInstance, services: Services, allow: AllowLongUpload): void {
  let underWay = 0
  void scope.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _body, done) => done(null))
    route(raw, services, operatorDescriptions.import, async (call) => {
      const { services, request, reply, accountId, network, query: wanted } = call
      if (underWay >= MAX_CONCURRENT_IMPORTS)
        throw new ApiError('too_many_requests', `${MAX_CONCURRENT_IMPORTS} imports are running; wait for one to end`, {
          headers: { 'retry-after': '10' },
        })
      allow(request.raw)
      void reply.hijack()
      underWay++
      const answer = openImportResponse(request.raw, reply.raw, services.clock)
      try {
        const beforeCommit = (transaction: Transaction<DB>, { kind, read, added }: StoredFile) => {
          const details = { kind, read: String(read), added: String(added) }
          return audit(services, { accountId, event: 'data.imported', network, details }, transaction)
        }
        answer.conclude(await runImport(services, request.raw, answer, { ...wanted, beforeCommit }))
      } catch (error) {
        const level = answer.gone.aborted ? 'warn' : 'error'
        services.log[level]({ err: error, request_id: request.id }, 'import failed')
        answer.conclude({ result: 'failed', message: UNKNOWN_OUTCOME })
      } finally {
        answer.end()
        underWay--
        drain(request.raw)
      }
    })
  })
}

/** The import cannot distinguish a failure after the commit from one before it. */
const UNKNOWN_OUTCOME = 'Internal error. The file may have been stored; importing it again is safe'

/** The last line of the response. */
type Ended =
  ({ result: 'stored' } & StoredFile) | { result: 'refused'; message?: string; count: number; problems: Problem[] }

async function runImport(
  { database, clock }: Services,
  request: IncomingMessage,
  answer: ImportResponse,
  wanted: ImportRequest & Pick<ImportFileOptions, 'beforeCommit'>,
): Promise<Ended> {
  let lines = 0
  try {
    const report = await importFile({ database, clock, signal: answer.gone }, '-', {
      ...wanted,
      standardInput: Readable.from(arriving(request)),
      progress: {
        opened: (_source, kind) => answer.report({ phase: 'reading', kind, read: 0 }),
        phase: (phase, count) => answer.report({ phase, read: (lines = count) }),
        read: (read) => answer.reportProgress({ phase: 'reading', read }),
        stored: (stored, step) => answer.reportProgress({ phase: 'writing', read: lines, stored, of: step }),
      },
    })
    return { result: 'stored', ...report }
  } catch (error) {
    if (error instanceof ImportRefusedError) return { result: 'refused', count: error.count, problems: error.problems }
    if (error instanceof ImportFileError) return { result: 'refused', message: error.message, count: 0, problems: [] }
    throw error
  }
}
